"""The texts of the windows, for translators.

    python3 packaging/translations.py update [FOLDER]     texts of app/ into the .ts files
    python3 packaging/translations.py release [FOLDER]    .qm files, which the program reads, of the .ts files

`update` keeps what is translated and drops what is said nowhere any more; each .ts file that is missing is
begun. `release` comes after each change of a .ts file: the .qm files lie beside them in the repository, so
that everybody has them, and a test compares. FOLDER is where both work, by default
`resources/stepfast_resources/translations`. Qt's tools come with PySide6, from .venv.

lupdate reads Python, but not all of it: of 6.11.3, a number that is no literal makes no plural, a call or an
attribute there hides the whole text, and so does an f-string around it. So it gets to read a file of the same
calls in the plainest words, made here.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "app"
FOLDER = ROOT / "resources" / "stepfast_resources" / "translations"
LANGUAGES = ("de", "zh_CN")

WORKFLOWS = "Workflows"
"""The context of what the definitions say, which the window looks up by `known`."""


def update(folder: Path) -> int:
    calls = [call for path in sorted(SOURCES.rglob("*.py")) for call in plain_calls(path)]
    calls += [f'translate("{WORKFLOWS}", {quoted(each)})' for each in said_by_workflows()]
    status = 0
    with tempfile.TemporaryDirectory() as temporary:
        plain = Path(temporary, "texts.py")
        plain.write_text("\n".join(calls), "utf-8")
        for language in LANGUAGES:
            # Places would make every change of a line a change of every translation.
            options = ("-locations", "none", "-no-obsolete", "-sort-messages", "-source-language", "en")
            file = folder / f"stepfast_{language}.ts"
            status |= run(tool("lupdate"), plain, *options, "-target-language", language, "-ts", file)
    return status


def release(folder: Path) -> int:
    sources = sorted(folder.glob("stepfast_*.ts"))
    return max((run(tool("lrelease"), each, "-qm", each.with_suffix(".qm")) for each in sources), default=1)


def plain_calls(path: Path) -> Iterator[str]:
    """Each call of `translate` in a module, with nothing but literals in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Name("translate"), args=[*given], keywords=keywords):
                texts = [each.value for each in given[:3] if isinstance(each, ast.Constant)]
                if keywords or not 2 <= len(texts) == min(len(given), 3):
                    sys.exit(f"{path}:{node.lineno}: translate() needs literal texts, and no keywords")
                literals = ", ".join("None" if each is None else quoted(str(each)) for each in texts)
                yield f"translate({literals}, 1)" if len(given) > 3 else f"translate({literals})"


def said_by_workflows() -> list[str]:
    """Every text of the definitions that are shipped, once each."""
    sys.path[:0] = [str(ROOT / "store"), str(SOURCES)]
    from stepfast_desktop.viewmodels.starting.said import said_by
    from stepfast_desktop.workflows import ALL
    from stepfast_desktop.workflows.phrases import PHRASES

    said = [text for each in ALL for text in said_by(each)]
    return [*dict.fromkeys(text for text in [*said, *PHRASES] if text)]


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def tool(name: str) -> Path:
    """Qt's tool of that name, of the environment that `packaging/dev.py` makes or of this one."""
    program = f"pyside6-{name}{'.exe' if os.name == 'nt' else ''}"
    scripts = "Scripts" if os.name == "nt" else "bin"
    for folder in (ROOT / ".venv" / scripts, Path(sys.executable).parent):
        if (folder / program).exists():
            return folder / program
    if (found := shutil.which(program)) is not None:
        return Path(found)
    sys.exit(f"{program} is missing; python3 packaging/dev.py test installs it in .venv")


def run(*command: object) -> int:
    return subprocess.run([str(word) for word in command], cwd=ROOT).returncode


def main(arguments: Iterable[str]) -> int | str | None:
    match [*arguments]:
        case [("update" | "release") as verb, *rest] if len(rest) < 2:
            folder = Path(*rest).resolve() if rest else FOLDER
            return (update if verb == "update" else release)(folder)
    return __doc__


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
