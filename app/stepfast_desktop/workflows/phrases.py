"""What the workflows here say at run time, with places for the values in it: for who translates the window.

Each is a text of the code beside it, word for word, as `viewmodels/phrases.py` reads it; what a signature and
a docstring say needs no mention. A text that is missing here is shown in English. Where there are two ways to
end, both are here.
"""

from __future__ import annotations

__all__ = ["PHRASES"]

_NUMBERS = (
    "bytes",
    "{x} {unit}",
    "{x} of {y} {unit}",
    "{n} file",
    "{n} files",
    "{n} item",
    "{n} items",
    "{n} name",
    "{n} names",
    "{n} symbolic link",
    "{n} symbolic links",
    "{x} s",
    "{n} min {m} s",
    "{n} h {m} min",
    "and more",
    "and {n} more",
)

_PROGRESS = (
    "{n} of {m} files",
    "{n} of {m} files, {rest}",
    "{x} of {y} {unit}, {rest}",
    "{size}/s",
    "{size}/s, checking what is there: {rest}",
    "checking what is there: {rest}",
    "{files} found, {size}",
    "Waiting for the disk of {path}: connect it to continue",
    "Waiting for the disk “{disk}” of {path}: connect it to continue",
    "{files}, {size}, copied in {time}",
    "{files}, {size}, copied in {time}; “{disk}” is safe to eject",
    "{files}, {size}, copied in {time}, {n} there already",
    "{files}, {size}, copied in {time}, {n} there already; “{disk}” is safe to eject",
)

_FINDINGS = (
    "Only what was a problem of “{name}” is copied.",
    "Counting ... {files}, {size} so far.",
    "{files}, {size}.",
    "{files}, {size}. {rest}",
    "{files} of that size is there already.",
    "{files} of that size are there already.",
    "{files} of that size is there already. {rest}",
    "{files} of that size are there already. {rest}",
    "{size} free on that disk.",
    "{size} free on “{disk}”.",
    "There is no room: {size} are needed, and {rest}",
    "{size} are free on that disk.",
    "{size} are free on “{disk}”.",
    "Cannot be read: {names}.",
    "Cannot be read: {names} and {n} more.",
    "{files} cannot go there, since {system} takes none of {size} or more: {names}.",
    "{files} cannot go there, since {system} takes none of {size} or more: {names} and {n} more.",
    "{files} cannot be written there unchanged, since {system} has no such names: {names}.",
    "{files} cannot be written there unchanged, since {system} has no such names: {names} and {n} more.",
    "{files} cannot be made there, since {system} has none: {names}.",
    "{files} cannot be made there, since {system} has none: {names} and {n} more.",
)

_REASONS = (
    "no permission",
    "not permitted",
    "it is not there any more",
    "the disk reports an error (input/output error)",
    "its name is too long",
    "it is too large for this file system",
    "a link is where a file or folder was",
    "a file is where a folder was",
    "a folder is where a file was",
    "the file system does not take this name, or this request",
    "the file system does not take this name",
    "it is in use",
    "the file system is read-only",
    "the disk is full",
    "the disk or server is not there any more",
)

_PROBLEMS = (
    "already there and different; left as it is",
    "already there, and cannot be read to compare: no permission",
    "could not be read: {reason}",
    "could not be written: {reason}",
    "the folder could not be read: {reason}",
    "times or permissions of {files} could not be kept: {reason}",
    "it is not a link any more",
    "it is not a folder any more",
    "it is not a regular file any more",
    "the folder is not there any more",
    "a folder is there, where this link should go",
    "a folder is there, where this file should go",
    "a link is there, where a folder should go",
    "a file is there, where a folder should go",
    "its folder is not there: {reason}",
    "it changed while it was being copied; copy it when nothing writes to it",
    "what was read back from the destination is not what was written; check that disk",
    "the destination cannot tell its name from {name}, which is in the same folder",
    "not a regular file: {reason}",
    "a named pipe",
    "a socket",
    "a device",
    "a junction",
    "of a kind of its own",
)

_ERRORS = (
    "The source {path} is not a folder. Choose the folder it is in.",
    "There is no folder {path}. Check its name, or connect its disk.",
    "The source {path} cannot be read: {reason}. Change its permissions.",
    "The destination {path} is the source itself. Choose another folder.",
    (
        "The destination {path} is inside the source, so the copy would have to hold itself. Choose a "
        "folder outside it."
    ),
    (
        "The source would be copied over itself: it holds {name}, which in the destination {path} is "
        "the source. Choose another folder."
    ),
    "The destination {path} cannot be a folder: {other} is a file.",
    "The destination {path} cannot be a folder: {other} is a link that leads nowhere.",
    "There is no disk for the destination {path}. Connect it, or choose another.",
    (
        "The destination {path} cannot be written: {other} is read-only, or there is no permission. "
        "Choose another folder, or change its permissions."
    ),
    "The disk of {path} is full. Free some space and `retry`.",
    (
        "The destination is full: {path} has no room for the rest. Free {size} more there and `retry`; "
        "what was copied is kept, and it goes on from there."
    ),
    (
        "The destination {path} has become read-only, as the system does when a disk has errors. Make "
        "it writable and `retry`; what was copied is kept."
    ),
    (
        "The destination {path} fails: {reason}. Look after that disk, or connect it again, and "
        "`retry`; what was copied is kept."
    ),
    (
        "The source {path} cannot be read any more: {reason}. Connect its disk and `retry`; what was "
        "copied is kept."
    ),
    (
        "The source {path} is not there any more. Connect its disk, or bring the folder back, and "
        "`retry`; what was copied is kept."
    ),
    (
        "The destination {path} is not there any more. Connect its disk, or bring the folder back, and "
        "`retry`; what was copied to it is kept."
    ),
    (
        "The destination {path} cannot be made or written to: {reason}. Choose another, or change its "
        "permissions and `retry`."
    ),
)

PHRASES: tuple[str, ...] = (*_NUMBERS, *_PROGRESS, *_FINDINGS, *_REASONS, *_PROBLEMS, *_ERRORS)
"""In no order."""
