"""Sets up everything in .venv, then

    python3 packaging/dev.py run              opens the window; without a display, copies a sample folder
    python3 packaging/dev.py run ARGUMENTS    runs stepfast with them
    python3 packaging/dev.py test [PYTEST]    runs every check; further arguments go to pytest

It needs Python 3.11 or newer and does only what is not done yet. System packages that are missing it
installs as root on Debian or Ubuntu; elsewhere it says how to. Each command is printed as it is run.
"""

import sys

# An older Python should get a sentence, not a SyntaxError: so nothing here is newer than Python 3.7.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"Stepfast needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable}).")

import ctypes
import hashlib
import importlib.util
import os
import random
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
UNFINISHED = ROOT / ".venv-unfinished"  # there from before .venv is made until it holds everything
WINDOWS = os.name == "nt"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")
STEPFAST = PYTHON.with_name("stepfast.exe" if WINDOWS else "stepfast")
SAMPLE = ROOT / "sample"

# What Qt loads from the system even without a display, and Debian's package of it.
QT_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
}
# And what it loads for a window on X.
X_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
# What the tests run, and Debian's packages of it. The compiler makes a library that makes a disk fail; those
# of X are a screen with a window manager, and somebody who presses keys there.
TOOLS = {
    "cc": ("gcc", "libc6-dev"),
    "mount": ("mount",),
    "dbus-daemon": ("dbus",),
    "Xvfb": ("xvfb",),
    "openbox": ("openbox",),
    "xdotool": ("xdotool",),
    "xwininfo": ("x11-utils",),
    "desktop-file-validate": ("desktop-file-utils",),
}


def run(arguments: list[str]) -> int:
    if arguments:
        environment()
        return call(STEPFAST, *arguments)
    if has_display():
        environment("desktop", window=True)
        return call(STEPFAST)
    print("There is no display here, so instead of the window, this copies a sample folder.", flush=True)
    environment()
    return copy_sample()


def has_display() -> bool:
    return sys.platform != "linux" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def test(arguments: list[str]) -> int:
    environment("desktop", "dev")
    os.chdir(ROOT)
    if sys.platform == "linux":  # all that the tests need is here now, so none may be skipped for want of it
        os.environ["STEPFAST_TESTS_MUST_RUN"] = "1"
    # Images of containers set it; and each of a thousand processes that the tests start would compile it all.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # One more than there are cores: much of what the tests do is wait for processes of their own.
    workers = (os.cpu_count() or 1) + 1
    checks = (
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy",),
        ("pytest", "-n", str(workers), *arguments),
    )
    failed = [check for check in checks if call(PYTHON, "-m", *check) != 0]
    for check in failed:
        print("FAILED:", *check, file=sys.stderr)
    return 1 if failed else 0


def environment(*extras: str, window: bool = False) -> None:
    """Make .venv hold the project, editable, with these extras; `window`: for a real one on a screen."""
    remake = UNFINISHED.exists() or not usable()
    # The tests open a real window too, on a screen of their own.
    packages = missing_libraries(window or "dev" in extras) if "desktop" in extras else []
    if "dev" in extras and sys.platform == "linux":
        packages += [each for tool, of in TOOLS.items() if shutil.which(tool) is None for each in of]
    if remake and importlib.util.find_spec("ensurepip") is None:  # Debian ships Python without it
        packages.append(f"python3.{sys.version_info.minor}-venv")
    if packages:
        install_system(packages)
    if remake:
        UNFINISHED.touch()
        must(sys.executable, "-m", "venv", "--clear", VENV)

    stamp = VENV / "stepfast-installed"  # written last, so an install that was cut short runs again
    source = hashlib.sha256(os.fsencode(ROOT) + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    installed = stamp.read_text().split() if stamp.exists() else []
    if source in installed and set(extras).issubset(installed):
        return
    stamp.unlink(missing_ok=True)
    wanted = f"{ROOT}[{','.join(extras)}]" if extras else ROOT
    must(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--editable", wanted)
    stamp.write_text(" ".join((source, *extras)))
    UNFINISHED.unlink(missing_ok=True)


def usable() -> bool:
    """Whether .venv works, with the Python that runs this."""
    try:
        probe = subprocess.run(
            [PYTHON, "-c", "import pip, sys; print(sys.version)"], capture_output=True, text=True
        )
    except OSError:
        return False
    return probe.stdout.strip() == sys.version.strip()


def missing_libraries(window: bool) -> list[str]:
    def loads(library: str) -> bool:
        try:
            ctypes.CDLL(library)
        except OSError:
            return False
        return True

    if sys.platform != "linux":
        return []
    wanted = {**QT_LIBRARIES, **(X_LIBRARIES if window else {})}
    return [package for library, package in wanted.items() if not loads(library)]


def install_system(packages: list[str]) -> None:
    update = ["apt-get", "update"]
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if shutil.which("apt-get") is None:
        sys.exit(f"Please install what Debian calls {' '.join(packages)}, then run this again.")
    if os.geteuid() != 0:
        sys.exit(
            "System packages are missing. This installs them:\n\n"
            f"    sudo {shlex.join(update)} && sudo {shlex.join(install)}\n"
        )
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    call(*update)  # one source that is down need not matter
    must(*install)


def copy_sample() -> int:
    """Copy a folder under one id: killed and run again, it goes on where it was."""
    original, copy, data = make_original(), SAMPLE / "copy", SAMPLE / "data"
    copying = ("copy-folder", "--source", original, "--destination", copy, "--id", "sample", "--wait")
    status = call(STEPFAST, "--data", data, "start", *copying)
    if status == 0:
        print(
            f"\nThe original is {original}\n"
            f"and its copy    {copy}\n"
            f"Each step of it: {shown(STEPFAST, '--data', data, 'show', 'sample')}\n"
            f"A folder of your own:\n    {shown(STEPFAST, 'start', 'copy-folder')}"
            " --source FOLDER --destination FOLDER --wait"
        )
    print(f"\nRemove {SAMPLE} to start over.")
    return status


def make_original() -> Path:
    """A few hundred small files in nested folders, one of 16 MB, an empty folder and a link."""
    original, growing = SAMPLE / "original", SAMPLE / "original.part"
    if original.exists():
        return original
    shutil.rmtree(growing, ignore_errors=True)
    noise = random.Random(2026)
    for day in range(365):
        note = growing / "diary" / f"month {day // 31 + 1}" / f"day {day + 1}.txt"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"Day {day + 1}: nothing was lost.\n" * noise.randint(1, 400))
    (growing / "empty").mkdir()
    (growing / "film.bin").write_bytes(noise.randbytes(16 << 20))
    try:
        (growing / "latest").symlink_to(Path("diary", "month 12"), target_is_directory=True)
    except OSError:
        pass  # Windows lets only some people make links
    return growing.rename(original)


def call(*command: object) -> int:
    print(f"$ {shown(*command)}", flush=True)
    process = subprocess.Popen([str(word) for word in command])
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass  # it was interrupted too, and ends in its own way


def must(*command: object) -> None:
    status = call(*command)
    if status != 0:
        sys.exit(f"That failed, with exit code {status}.")


def shown(*command: object) -> str:
    words = [str(word) for word in command]
    return subprocess.list2cmdline(words) if WINDOWS else shlex.join(words)


if __name__ == "__main__":
    command = {"run": run, "test": test}.get("".join(sys.argv[1:2]))
    sys.exit(command(sys.argv[2:]) if command else __doc__)
