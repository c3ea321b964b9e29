"""Whether somebody answers where a window would be opened."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator

import pytest

from stepfast_desktop.display import dead_display

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X servers are asked on Linux")


def _free() -> int:
    """A display number of no X server, whose TCP port is free."""
    for number in range(3000, 4000):
        if dead_display({"DISPLAY": f":{number}"}):
            return number
    raise AssertionError("each display answers")


@pytest.fixture
def server() -> Iterator[int]:
    number = _free()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0/tmp/.X11-unix/X{number}")
        listening.listen()
        yield number


def test_a_display_at_which_nobody_answers_is_named() -> None:
    number = _free()
    for display in (f":{number}", f"unix:{number}", f"localhost:{number}.0"):
        assert dead_display({"DISPLAY": display}) == display


def test_a_server_that_listens_is_believed(server: int) -> None:
    assert dead_display({"DISPLAY": f":{server}.0"}) is None


@pytest.mark.parametrize(
    "around",
    [{"WAYLAND_DISPLAY": "wayland-0"}, {"QT_QPA_PLATFORM": "offscreen"}, {"DISPLAY": "decnet::0"}],
)
def test_what_is_none_of_our_business_is_left_to_qt(around: dict[str, str]) -> None:
    assert dead_display({"DISPLAY": f":{_free()}", **around}) is None
