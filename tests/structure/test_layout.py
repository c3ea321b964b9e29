"""The layout and the direction of imports, as `CONTRIBUTING.md` gives them, held to by reading the tree.

Imports are read with `ast`, so one inside a function or under `TYPE_CHECKING` counts as well.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE_ROOTS = ("store", "app", "resources")

# What a package may import besides the standard library. The longest name that fits a module decides.
MAY_IMPORT = {
    "stepfast": {"stepfast"},
    "stepfast_resources": {"stepfast_resources"},
    "stepfast_desktop": {"stepfast", "stepfast_resources", "stepfast_desktop"},
    "stepfast_desktop.workflows": {"stepfast", "stepfast_desktop.workflows"},
    "stepfast_desktop.viewmodels": {"stepfast", "stepfast_desktop.viewmodels"},
    # What goes on while nobody looks: told by view models, and the only place that imports these libraries.
    "stepfast_desktop.away": {
        "stepfast",
        "stepfast_desktop.viewmodels",
        "stepfast_desktop.away",
        "desktop_notifier",
        "stepfast_resources",
        "dbus_fast",
        "wakepy",
    },
    "stepfast_desktop.qt": {
        "PySide6",
        "qasync",
        "stepfast_resources",
        "stepfast_desktop.qt",
        "stepfast_desktop.viewmodels",
    },
}
# Who may reach a package, whatever the table above allows.
ONLY_FOR = {
    "stepfast_desktop.qt": {"stepfast_desktop.qt", "stepfast_desktop.bootstrap", "stepfast_desktop.__main__"},
}
MAY_HOLD_SQL = {"stepfast.sqlite", "stepfast.testing", "stepfast.memory", "stepfast_desktop.workflows"}

# A heuristic: our SQL begins with a keyword in capitals, and little else does.
SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE"
    r"|ATTACH|DETACH|VACUUM|REINDEX|ANALYZE|WITH)\b"
)
MOST_LINES = 600


# ---------------------------------------------------------------------------------------- the checker


def modules() -> dict[str, Path]:
    """Every module of the project by its dotted name; a package by the name of its `__init__`."""
    found = {}
    for root in SOURCE_ROOTS:
        for path in (ROOT / root).rglob("*.py"):
            found[".".join(path.relative_to(ROOT / root).with_suffix("").parts)] = path
    return found


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def imported(module: str, tree: ast.AST) -> Iterator[str]:
    """The full name of everything that a module imports: `from a import b` is `a.b`."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=source, names=names, level=level):
                base = module.split(".")[:-level] if level else []
                package = ".".join([*base, source] if source else base)
                yield from (f"{package}.{alias.name}" for alias in names)


def broken_imports(module: str, source: str) -> list[str]:
    allowed = MAY_IMPORT[max((zone for zone in MAY_IMPORT if within(module, zone)), key=len)]
    return [
        f"{module} imports {name}"
        for name in imported(module, ast.parse(source))
        if not (name.split(".")[0] in sys.stdlib_module_names or any(within(name, one) for one in allowed))
        or any(
            within(name, guarded) and not any(within(module, one) for one in users)
            for guarded, users in ONLY_FOR.items()
        )
    ]


def misplaced_sql(module: str, source: str) -> list[str]:
    if any(within(module, one) for one in MAY_HOLD_SQL):
        return []
    return [
        f"{module}, line {node.lineno}: {node.value.strip().splitlines()[0]}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value)
    ]


# ------------------------------------------------------------------------------------------- the tree


@pytest.mark.parametrize("folder", [*SOURCE_ROOTS, "packaging"])
def test_source_roots_and_packaging_are_no_packages(folder: str) -> None:
    """`app`, `store` and `packaging` are names of other people's packages too."""
    assert (ROOT / folder).is_dir()
    assert not (ROOT / folder / "__init__.py").exists()


def test_pytest_imports_by_path_and_the_engine_needs_nothing() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "--import-mode=importlib" in pyproject["tool"]["pytest"]["ini_options"]["addopts"]
    assert pyproject["project"]["dependencies"] == []


def test_each_source_root_holds_one_package() -> None:
    assert {name.split(".")[0] for name in modules()} == {
        "stepfast",
        "stepfast_desktop",
        "stepfast_resources",
    }


def test_every_module_of_the_engine_says_what_it_is_for() -> None:
    silent = [
        name
        for name, path in modules().items()
        if within(name, "stepfast") and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert silent == []


def test_no_module_of_the_engine_is_too_long() -> None:
    lengths = {
        name: len(path.read_text("utf-8").splitlines())
        for name, path in modules().items()
        if within(name, "stepfast")
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_imports_go_one_way() -> None:
    assert [
        fault for name, path in modules().items() for fault in broken_imports(name, path.read_text("utf-8"))
    ] == []


def test_sql_stays_where_it_belongs() -> None:
    assert [
        fault for name, path in modules().items() for fault in misplaced_sql(name, path.read_text("utf-8"))
    ] == []


def test_every_module_of_the_engine_imports_without_any_installed_package() -> None:
    """`-I -S`: no site-packages and no PYTHONPATH, so what is found is the standard library's or ours."""
    script = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import stepfast
for module in pkgutil.walk_packages(stepfast.__path__, "stepfast."):
    importlib.import_module(module.name)
"""
    command = [sys.executable, "-I", "-S", "-c", script, str(ROOT / "store")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_old_python_can_parse_dev_py() -> None:
    """Otherwise it would answer with a SyntaxError instead of the sentence that says what is needed."""
    ast.parse((ROOT / "packaging" / "dev.py").read_text("utf-8"), feature_version=(3, 7))


# -------------------------------------------------------------------------------- the checker, checked


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("stepfast.engine", "import requests"),
        ("stepfast.engine", "from PySide6.QtCore import QObject"),
        ("stepfast.engine", "import stepfast_desktop"),
        ("stepfast.sqlite.writing.writer", "def late():\n    import numpy.linalg"),
        ("stepfast.__init__", "if TYPE_CHECKING:\n    import attrs"),
        ("stepfast_resources.__init__", "import stepfast"),
        ("stepfast_desktop.cli", "import qasync"),
        ("stepfast_desktop.cli", "from stepfast_desktop import qt"),
        ("stepfast_desktop.cli", "from . import qt"),
        ("stepfast_desktop.cli", "from .qt.loop import Loop"),
        ("stepfast_desktop.workflows.copy_folder", "from stepfast_desktop import paths"),
        ("stepfast_desktop.workflows.copy_folder", "from ..paths import data_folder"),
        ("stepfast_desktop.workflows.copy_folder", "import stepfast_desktop.qt"),
        ("stepfast_desktop.viewmodels.table.table", "from PySide6 import QtCore"),
        ("stepfast_desktop.viewmodels.table.table", "from stepfast_desktop.workflows import copy_folder"),
        ("stepfast_desktop.qt.views", "from stepfast.sqlite import connect"),
        ("stepfast_desktop.qt.away.tray", "from stepfast_desktop.away import awake"),
        ("stepfast_desktop.qt.away.tray", "import dbus_fast"),
        ("stepfast_desktop.away.sender", "from PySide6 import QtDBus"),
        ("stepfast_desktop.away.sender", "from stepfast_desktop.settings import Settings"),
        ("stepfast_desktop.qt.views", "from stepfast_desktop import bootstrap"),
    ],
)
def test_an_import_against_the_rules_is_found(module: str, source: str) -> None:
    assert len(broken_imports(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "stepfast.engine",
            "from __future__ import annotations\nimport os.path\nfrom .sqlite.writer import Writer",
        ),
        ("stepfast.__init__", "from .engine import Engine"),
        ("stepfast.sqlite.__init__", "from ..errors import Newer\nfrom . import schema"),
        ("stepfast_desktop.bootstrap", "from .qt import loop\nimport stepfast_resources"),
        ("stepfast_desktop.__main__", "from stepfast_desktop.qt.loop.loop import Loop"),
        ("stepfast_desktop.workflows.__init__", "from .copy_folder import copy_folder\nimport stepfast"),
        ("stepfast_desktop.viewmodels.table.table", "from stepfast import Engine\nfrom . import rows"),
        ("stepfast_desktop.away.bus", "from dbus_fast.aio import MessageBus\nfrom .awake import Waking"),
        ("stepfast_desktop.qt.views", "import qasync, PySide6.QtCore\nfrom ..viewmodels.table import Table"),
    ],
)
def test_an_import_within_the_rules_is_let_by(module: str, source: str) -> None:
    assert broken_imports(module, source) == []


@pytest.mark.parametrize(
    "source",
    [
        'rows("SELECT id FROM stepfast_workflow")',
        'STATEMENT = """\n    UPDATE stepfast_workflow SET state = 1"""',
        'write(f"DELETE FROM {table}")',
        'cursor.execute("BEGIN")',
    ],
)
def test_sql_is_found_where_it_does_not_belong(source: str) -> None:
    assert len(misplaced_sql("stepfast.workers.worker", source)) == 1
    assert misplaced_sql("stepfast.sqlite.statements", source) == []
    assert misplaced_sql("stepfast_desktop.workflows.copy_folder", source) == []


@pytest.mark.parametrize("text", ["Select a folder", "Updated", "BEGINNING", "Delete the workflow"])
def test_plain_words_are_no_sql(text: str) -> None:
    assert misplaced_sql("stepfast.workers.worker", repr(text)) == []


def written_twice(sources: dict[str, str]) -> list[set[str]]:
    """Functions of modules that are the same but for their names and docstrings, as `module.function`."""
    by_body: dict[str, set[str]] = {}
    for module, source in sources.items():
        for each in ast.parse(source).body:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                body = each.body[1:] if ast.get_docstring(each) is not None else each.body
                dumped = ast.dump(ast.Module([*body], []))
                if len(dumped) > MOST_OF_A_TWIN:
                    by_body.setdefault(dumped, set()).add(f"{module}.{each.name}")
    return [found for found in by_body.values() if len(found) > 1]


# What is shorter than this, as the parser sees it, says no more than a name does: `return Path(text)`.
MOST_OF_A_TWIN = 150


def test_no_function_is_written_twice() -> None:
    # What tries a store says in each module what it needs: it is read a module at a time.
    sources = {
        module: path.read_text("utf-8")
        for module, path in modules().items()
        if not within(module, "stepfast.testing")
    }
    assert written_twice(sources) == []


def test_a_function_that_is_written_twice_is_found() -> None:
    body = "    words = text.split()\n    return sum(len(each) for each in words if each)\n"
    sources = {
        "a": f"def first(text):\n    'One.'\n{body}",
        "b": f"async def _second(text):\n{body}",
        "c": "def third(text):\n    return text\ndef fourth(text):\n    return text\n",
    }
    assert written_twice(sources) == [{"a.first", "b._second"}]
