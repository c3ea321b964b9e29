"""The one place that wires things together: paths, engine, view models, windows; begun and ended in order."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepfast import Damaged, Definition, Engine, StoreError
from stepfast.errors import ReadOnly
from stepfast.system.paths import default_file
from stepfast_desktop.away.being_away import BeingAway
from stepfast_desktop.booted import is_first_launch, started_at
from stepfast_desktop.instance.background import BackgroundWorker
from stepfast_desktop.instance.launching import MOST, Answer, Launch, address_of, take_or_hand_over
from stepfast_desktop.instance.listening import SocketListening
from stepfast_desktop.instance.receiving import Receiving
from stepfast_desktop.instance.sole import WINDOW, Sole, end, pid_of
from stepfast_desktop.login_start import LoginStart, login_start_of
from stepfast_desktop.qt.application import choose_appearance, make_application
from stepfast_desktop.qt.away.raising import use_token
from stepfast_desktop.qt.away.tray import Tray
from stepfast_desktop.qt.leaving.obeying import obey, raise_boxes
from stepfast_desktop.qt.loop.garbage import collect_on_this_thread_only
from stepfast_desktop.qt.loop.running import run
from stepfast_desktop.qt.main_window import MainWindow, until_closed
from stepfast_desktop.qt.qt_messages import qt_messages_in_log
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.tools.tools import Around
from stepfast_desktop.reports import Reports, log_folder
from stepfast_desktop.secret_store import SystemKeeper
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.away.tray import TrayViewModel
from stepfast_desktop.viewmodels.preferences import MOST_RUNNING, Preferences, preferred
from stepfast_desktop.viewmodels.trouble.mishaps import Mishap
from stepfast_desktop.viewmodels.trouble.unkept import UnkeptSettings
from stepfast_desktop.viewmodels.window import WindowViewModel
from stepfast_desktop.viewmodels.words import know, translate
from stepfast_desktop.workflows.phrases import PHRASES
from stepfast_desktop.workflows.throttle import limit

if TYPE_CHECKING:
    from stepfast import Restored
    from stepfast_desktop.qt.leaving.listening import Listening

__all__ = ["open_window", "run_window"]

logger = logging.getLogger("stepfast")

NOTHING_ASKED = Launch()
END_SECONDS = 5.0
LOOK_SECONDS = 0.5


def run_window(
    definitions: Sequence[Definition[..., Any]],
    folder: Path | None,
    command: str,
    launch: Launch = NOTHING_ASKED,
) -> int:
    """Open the window and return its exit code once it is closed and everything that ran is parked.

    Where a window is open on the data folder already, that one is raised instead, and does what was asked.

    Args:
        definitions: what this program can run.
        folder: the data folder; the per-user one by default.
        command: what starts a program like this one, for other windows to show.
        launch: what was asked of it.
    """
    place = default_file(folder).parent
    sole: Sole | Answer | None = None
    try:
        # Before there is any Qt: where a window is open, this takes no longer than a command.
        sole = take_or_hand_over(place, launch)
    except OSError as error:
        # The engine, which needs more of the folder than this, says what is wrong with it.
        logger.info("no other launch will find this window: %s", error)
        return _begun(place, lambda reports: _main(definitions, folder, command, launch, reports=reports))
    if sole is Answer.DONE:
        return 0
    return _begun(
        place, lambda reports: _only_one(definitions, place, command, launch, sole, reports=reports)
    )


def _begun(place: Path, main: Callable[[Reports], Coroutine[Any, Any, int]]) -> int:
    settings = Settings(place)
    appearance, language, level = (
        preferred(settings, name) for name in ("appearance", "language", "log_level")
    )
    application = make_application(sys.argv, appearance=appearance, language=language)
    know(PHRASES)
    with Reports(log_folder(), level) as reports, qt_messages_in_log(), collect_on_this_thread_only():
        try:
            return run(main(reports), application)
        except Exception as error:
            reports.handle(error, "the program has ended by it")
            raise


async def _only_one(
    definitions: Sequence[Definition[..., Any]],
    folder: Path,
    command: str,
    launch: Launch,
    sole: Sole | Answer | None,
    *,
    reports: Reports,
) -> int:
    """The window, once it is clear that there is no other one that answers."""
    while not isinstance(sole, Sole):
        if sole is Answer.REFUSED:
            await _say(
                translate("Problem", "Another version of Stepfast has this folder open. Quit that one first.")
            )
            return 1
        if sole is not None:
            return 0
        from stepfast_desktop.qt.leaving.frozen import ask_about_frozen

        can_end = pid_of(folder, WINDOW) is not None
        match await ask_about_frozen(str(folder), can_end, partial(_comes_back, folder, launch)):
            case "close":
                return 0
            case "look":
                from stepfast_desktop.viewmodels.leaving.read_only import beside_a_frozen_one

                shown, said = Launch(show=launch.show), beside_a_frozen_one()
                return await _main((), folder, command, shown, read_only=said, reports=reports)
            case "end":
                try:
                    await asyncio.to_thread(end, folder, WINDOW, patience=END_SECONDS)
                except OSError as error:
                    await _say(str(error))
                sole = await asyncio.to_thread(take_or_hand_over, folder, launch)
            case (found,):
                sole = found
    try:
        return await _main(definitions, folder, command, launch, sole=sole, reports=reports)
    finally:
        sole.release()


async def _comes_back(folder: Path, launch: Launch) -> Sole | Answer:
    """Once the other window answers, or is gone; cancelled, it may still come to that."""
    while True:
        looking = asyncio.ensure_future(asyncio.to_thread(take_or_hand_over, folder, launch, LOOK_SECONDS))
        try:
            sole = await asyncio.shield(looking)
        except asyncio.CancelledError:
            # The thread goes on, and what it becomes must not be lost.
            if (sole := await looking) is None:
                raise
        if sole is not None:
            return sole


async def _main(
    definitions: Sequence[Definition[..., Any]],
    folder: Path | None,
    command: str,
    launch: Launch = NOTHING_ASKED,
    *,
    sole: Sole | None = None,
    read_only: str | None = None,
    reports: Reports | None = None,
) -> int:
    receiving = Receiving(launch, raise_boxes)
    restored: Restored | None = None
    with _listening(default_file(folder).parent, sole, receiving):
        while True:
            try:
                async with open_window(
                    definitions,
                    folder,
                    command,
                    hidden=launch.hidden,
                    read_only=read_only,
                    reports=reports,
                    restored=restored,
                ) as window:
                    restored = None
                    tools = window.tools
                    loads = {*Settings(default_file(folder).parent).loads, *launch.loads}
                    with receiving.window(partial(_obey, window, loads)):
                        await until_closed(window)
                if tools.reopen is None:
                    return 0
                if tools.reopen.backup is not None:
                    restored = await _restore(default_file(folder), tools.reopen.backup)
            except Damaged as damaged:
                restored = await _backup_instead(default_file(folder), damaged)
                if restored is None:
                    return 1
            except StoreError as error:
                if isinstance(error, ReadOnly) and default_file(folder).is_file():
                    return await _look_at_copy(definitions, folder, command, launch, reports)
                await _say(str(error))
                return 1


async def _look_at_copy(
    definitions: Sequence[Definition[..., Any]],
    folder: Path | None,
    command: str,
    launch: Launch,
    reports: Reports | None,
) -> int:
    """Show a file that cannot be written as it is now."""
    from stepfast_desktop.instance.looked_at import copied
    from stepfast_desktop.viewmodels.leaving.read_only import of_a_copy

    file = default_file(folder)
    try:
        async with copied(file) as copy:
            said = of_a_copy(file, datetime.now(UTC))
            async with open_window(
                (), copy.parent, command, read_only=said, reports=reports, settings_of=file.parent
            ) as window:
                if launch.show is not None:
                    await window.view_model.show(launch.show)
                await until_closed(window)
            if window.tools.reopen is None:
                return 0
    except StoreError as error:
        await _say(str(error))
        return 1
    return await _main(definitions, folder, command, launch, reports=reports)


@contextmanager
def _listening(folder: Path, sole: Sole | None, receiving: Receiving) -> Iterator[None]:
    """Hear other launches, where this process is the window of the folder."""
    if sole is None:
        yield
        return
    address = address_of(folder)
    with ExitStack() as stack:
        try:
            stack.callback(_listening_at(address, receiving).close)
            sole.tell(listens=address)
        except OSError as error:
            logger.warning("other launches cannot reach this window: %s", error)
        try:
            yield
        finally:
            # On a disk that takes nothing any more it stays, and is nobody's word once the lock is free.
            with suppress(OSError):
                sole.tell()


def _listening_at(address: str, receiving: Receiving) -> Listening | SocketListening:
    if sys.platform == "win32":
        from stepfast_desktop.qt.leaving.listening import Listening

        return Listening(address, MOST, receiving.reply)
    return SocketListening(address, MOST, receiving.reply)


def _obey(window: MainWindow, loads: Collection[str], launch: Launch) -> None:
    obey(
        window,
        paths=launch.paths,
        show=launch.show,
        new_loads=[each for each in launch.loads if each not in loads],
        raised=not launch.hidden,
        token=launch.token,
    )


def _login_start(folder: Path, settings: Settings) -> LoginStart | None:
    try:
        return login_start_of(folder, loads=bool(settings.loads))
    except OSError:
        return None  # the folder has a name that stands in no such file


def _spectator() -> type[Engine]:
    from stepfast_desktop.instance.spectator import Spectator

    return Spectator


async def _say(problem: str) -> None:
    from stepfast_desktop.qt.problem import show_problem

    await show_problem(problem)


async def _restore(file: Path, backup: Path) -> Restored | None:
    """Put a backup in the place of the file; where that cannot be, say why, and leave it as it is."""
    from stepfast import restore

    try:
        return await asyncio.to_thread(restore, file, backup)
    except StoreError as error:
        await _say(str(error))
        return None


async def _backup_instead(file: Path, damaged: Damaged) -> Restored | None:
    """Offer the last good backup of a file that cannot be opened; None where none takes its place."""
    from stepfast.sqlite.care.backups import last_good

    found = await asyncio.to_thread(last_good, file)
    if found is None:
        await _say(str(damaged))
        return None
    from stepfast_desktop.qt.problem import offer_backup
    from stepfast_desktop.viewmodels.format import date_text

    backup, contents = found
    if not await offer_backup(str(file), date_text(backup.made_at), contents.workflows):
        return None
    return await _restore(file, backup.path)


@asynccontextmanager
async def open_window(
    definitions: Sequence[Definition[..., Any]],
    folder: Path | None,
    command: str = "",
    *,
    hidden: bool = False,
    read_only: str | None = None,
    settings_of: Path | None = None,
    before_showing: Callable[[MainWindow], object] = lambda window: None,
    reports: Reports | None = None,
    restored: Restored | None = None,
) -> AsyncGenerator[MainWindow]:
    """A window over an engine. What was started is ended in the opposite order, whatever fails in between.

    Leaving it parks what runs, within five seconds, which the window shows. `before_showing` is called with
    the window made. With `hidden` it is shown only where nothing else would bring it back, and minimised
    then; with `read_only`, which is said above the table, nothing is carried out, started or changed. The
    settings are those of the folder, or of `settings_of`. What goes to `reports` is told in it. `restored`:
    the file has just become a backup, which the window says.
    """
    file = default_file(folder)
    settings = Settings(settings_of or file.parent)
    kind = Engine if read_only is None else _spectator()
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(
            kind.open(
                file,
                definitions,
                work=read_only is None,
                command=command,
                retention=settings.retention,
                secrets=SystemKeeper(),
            )
        )
        preferences = Preferences(settings)
        stack.callback(_heed(preferences, engine, reports))
        login_start = _login_start(file.parent, settings)
        view_model = WindowViewModel(
            engine,
            preferences,
            BackgroundWorker(file.parent, loads=bool(settings.loads)),
            login_start,
            read_only=read_only is not None,
        )
        stack.push_async_callback(view_model.close)
        await view_model.start()
        window = MainWindow(view_model, settings.get("window"))
        stack.callback(window.deleteLater)
        stack.callback(window.let_go)
        stack.callback(window.hide)
        stack.push_async_callback(view_model.quitting.park)
        if read_only is not None:
            from stepfast_desktop.qt.leaving.read_only import only_look

            only_look(window, read_only)
        else:
            window.arranged.connect(lambda arrangement: settings.put("window", arrangement))
            if is_first_launch(settings):
                offering = start(view_model.login_start.offer(engine, started_at()))
                stack.callback(offering.cancel)
            await _be_away(window, stack, restored=restored is not None)
        log = None if reports is None else reports.log
        window.tools.around = Around(settings, log, login_start)
        if restored is not None:
            from stepfast_desktop.viewmodels.trouble.restored import restored_notice

            made_at, aside = restored.plan.made_at, restored.set_aside
            view_model.notices.show(restored_notice(made_at, aside, window.tools.desktop))
        stack.callback(UnkeptSettings(settings, view_model.notices, window.tools.desktop).close)
        if reports is not None:
            stack.callback(_tell(reports, window))
        before_showing(window)
        if not hidden:
            window.show()
        elif not window.can_hide():
            window.showMinimized()
        yield window


async def _be_away(window: MainWindow, stack: AsyncExitStack, *, restored: bool) -> None:
    """What goes on while nobody looks: notifications, sleep, and the tray; ended by `stack`."""
    view_model = window.view_model
    away = BeingAway(view_model, window.in_front, use_token, restored=restored)
    stack.push_async_callback(away.close)
    tray = Tray(window, TrayViewModel(view_model.pending, window.in_front))
    stack.callback(tray.let_go)
    window.can_hide = tray.can_hide
    await away.start()


def _heed(preferences: Preferences, engine: Engine, reports: Reports | None) -> Callable[[], None]:
    """Let what a person prefers be so, now and whenever it changes; what is returned ends that."""

    def heed(name: str) -> None:
        value = preferences[name]
        match name:
            case "speed_limit":
                limit.set(value * 1_000_000)
            case "at_once":
                engine.concurrency = value or MOST_RUNNING
            case "log_level" if reports is not None:
                reports.set_level(value)
            case "appearance":
                choose_appearance(value)

    for name in ("speed_limit", "at_once", "log_level"):  # the application was made with the rest
        heed(name)
    return preferences.changed.connect(heed)


def _tell(reports: Reports, window: MainWindow) -> Callable[[], None]:
    """Show in the window what goes wrong in the program; what is returned ends that."""
    loop = asyncio.get_running_loop()
    mishaps = window.tools.mishaps(reports.log)
    before = loop.get_exception_handler()

    def tell(mishap: Mishap) -> None:
        with suppress(RuntimeError):  # the loop is closed: it is in the log
            loop.call_soon_threadsafe(mishaps.happened, mishap)

    def stop() -> None:
        reports.tell(None)
        loop.set_exception_handler(before)

    loop.set_exception_handler(reports.of_loop)
    reports.tell(tell)
    if reports.crashed is not None:
        mishaps.crashed(reports.crashed, datetime.now(UTC))
        reports.crashed = None
    return stop
