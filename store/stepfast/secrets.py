"""`Secret`: an input that steps use and that no file of ours ever holds.

    @workflow("publish")
    async def publish(run: Run, folder: Path, token: Secret) -> None:
        await run.step("upload", upload, folder, token)    # upload() calls token.reveal()

    async with Engine.open(path, [publish], secrets=keeper) as engine:
        await engine.start(publish(folder, token=Secret("...")), id="release-42")

The file holds `{"$secret":"token"}`, a `SecretReference`; the text is with a `SecretKeeper`, such as the
system's own password store. `Veil` keeps the texts of a pass out of what the pass writes: what would store
one is refused, and what is written for people to read (log lines, errors) has its name in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from json.encoder import encode_basestring as quote
from typing import NoReturn, Protocol

from stepfast.errors import SecretError, UnstorableValue

__all__ = ["NOTHING", "Secret", "SecretKeeper", "SecretReference", "Veil"]

SHORTEST = 4
"""A text of fewer characters is in other texts by chance, so it is not looked for in them."""

LINE = 8
"""So many characters make a line of a longer secret, as a key in several lines is one."""


class Secret:
    """A text that is shown nowhere; `reveal` gives it.

    Neither `repr` nor `str`, neither a log line nor an error has it, it is not pickled, and it cannot be a
    result, an answer or a message.
    """

    __slots__ = ("_name", "_text")

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            # Not what it is: that may be the secret.
            raise TypeError(f"a Secret is made of a text, and not of a {type(text).__name__}")
        self._text: str | None = text
        self._name: str | None = None

    def reveal(self) -> str:
        """The text. Use it inside a step, and keep it out of what the step returns.

        Raises `SecretError` where this is read from a stored input, and nobody fetched the text.
        """
        if self._text is None:
            raise SecretError(
                f"the text of {self} is not here: whoever ran this body had no keeper of secrets; give one "
                "to Engine.open(..., secrets=keeper)"
            )
        return self._text

    @property
    def name(self) -> str | None:
        """Of the parameter that it is given for; None before it is given for one."""
        return self._name

    def named(self, name: str) -> Secret:
        """The same text, for the parameter of that name."""
        made = Secret(self.reveal())
        made._name = name
        return made

    @classmethod
    def of(cls, reference: SecretReference) -> Secret:
        """What a stored input says, which has no text yet."""
        made = cls("")
        made._text, made._name = None, reference.name
        return made

    def __repr__(self) -> str:
        return "(secret)" if self._name is None else f"(secret {self._name})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        if self._text is None or other._text is None:
            return self is other
        import hmac

        return hmac.compare_digest(_bytes(self._text), _bytes(other._text))

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a Secret is not pickled; reveal it where it is used, in this process")


class SecretReference:
    """What stands in a stored input in the place of a `Secret`: the name of the parameter, and no more."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"SecretReference({self.name!r})"

    def __str__(self) -> str:
        return "(secret)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretReference) and other.name == self.name

    def __hash__(self) -> int:
        return hash((SecretReference, self.name))


class SecretKeeper(Protocol):
    """Where the texts of secrets are: outside of the file, in the system's password store for instance.

    - `keep` MUST have the text in its place, for good, when it returns; it overwrites what was kept under the
      reference.
    - `fetch` MUST give the text kept under the reference, to any process of this user, and None where there
      is none. What only cannot be read now (it is locked) MUST be raised.
    - `forget` MUST take it away; that there is none is no error.

    A reference is a text that names one workflow, and a text is everything secret in its input, as JSON. The
    calls are plain functions that may block: they are made on threads, several at once.
    """

    def keep(self, reference: str, text: str) -> None: ...
    def fetch(self, reference: str) -> str | None: ...
    def forget(self, reference: str) -> None: ...


class Veil:
    """The secrets of a pass, kept out of what it writes.

    Args:
        texts: the secrets, by the names of their parameters.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        # As it is, as JSON has it, and as `repr` shows it.
        found = {
            form: name
            for name, text in texts.items()
            if len(text) >= SHORTEST
            for form in (text, quote(text)[1:-1], repr(text)[1:-1])
        }
        # What is written for people may be a line of it, with something before each: a traceback does that.
        lines = {
            line.strip(): name
            for name, text in texts.items()
            for line in text.splitlines()
            if len(line.strip()) >= LINE
        }
        self._forms = _longest_first(found)
        self._masks = _longest_first(lines | found)

    def masked(self, text: str) -> str:
        """`text` with the name of each secret in the place of its text."""
        for form, name in self._masks:
            if form in text:
                text = text.replace(form, f"(secret {name})")
        return text

    def check(self, text: str, about: str) -> None:
        """Raise `UnstorableValue` where `text`, which is to be stored as `about` says, has a secret in it."""
        for form, name in self._forms:
            if form in text:
                raise UnstorableValue(
                    f"{about} has the text of the secret {name!r} in it, and a secret is never stored; leave "
                    "it out"
                )


def _longest_first(forms: Mapping[str, str]) -> list[tuple[str, str]]:
    # One secret may be a part of another.
    return sorted(forms.items(), key=lambda each: -len(each[0]))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


NOTHING = Veil({})
"""For a pass without secrets."""
