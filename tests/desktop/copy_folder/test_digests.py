import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfast_desktop.workflows.copy_folder import digests
from stepfast_desktop.workflows.copy_folder.digests import Digests, Mark, Stamp


@pytest.fixture(scope="module", autouse=True)
def tiny_pieces() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digests, "PIECE", 8)
        yield


def fed(*chunks: bytes) -> Digests:
    found = Digests()
    for chunk in chunks:
        found.feed(chunk)
    return found


@given(st.lists(st.binary(max_size=30), max_size=8))
def test_how_content_is_cut_into_chunks_makes_no_difference(chunks: list[bytes]) -> None:
    assert fed(*chunks).all() == fed(b"".join(chunks)).all()


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_other_content_has_other_digests(one: bytes, other: bytes) -> None:
    assert (fed(one).all() == fed(other).all()) == (one == other)


@given(st.binary(max_size=40))
def test_a_mark_says_which_bytes_each_digest_is_of(content: bytes) -> None:
    mark = Mark.of(Stamp(len(content), 1), fed(content))
    spans = list(mark.spans())
    assert sum(length for _, length in spans) == len(content)
    at = 0
    for digest, length in spans:
        assert fed(content[at : at + length]).all() == [digest]
        at += length


@given(st.binary(max_size=40), st.binary(max_size=20))
def test_pieces_that_were_checked_can_be_fed_further(content: bytes, more: bytes) -> None:
    joined = Digests()
    for start in range(0, len(content), 8):
        joined.extend(fed(content[start : start + 8]))
    joined.feed(more)
    assert joined.length == len(content) + len(more)
    assert joined.all() == fed(content + more).all()


def test_a_mark_comes_back_from_a_bookmark_for_its_own_file_only() -> None:
    mark = Mark.of(Stamp(11, 2), fed(b"hello world"))
    assert Mark.from_value(mark.as_value(7), 7) == mark
    assert Mark.from_value(mark.as_value(7), 8) is None


@pytest.mark.parametrize("value", [None, 3, "text", [], {}, {"position": 7, "size": "large"}])
def test_a_bookmark_that_is_no_mark_is_none(value: object) -> None:
    assert Mark.from_value(value, 7) is None
