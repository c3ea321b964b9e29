"""What a text finds: the same, whether it is looked for in an index or in all there is."""

from __future__ import annotations

from stepfast.interfaces import Durable
from stepfast.testing.contract.stores import Stores, finish, start
from stepfast.views import Filter

IDS = (
    "release-42",
    "Straße nach Ärzen",
    "other_100%",
    'say "hello"',
    "naïve café",
    "cafe\u0301 of two characters",
    "👩🚀 to the moon",
    "ΣΊΣΥΦΟΣ",
    "日本語のテキスト",
    "a AND b OR NOT c*",
    "back\\slash",
    "release-4",
)
FOUND = {
    "": IDS,
    "release-42": ["release-42"],
    "RELEASE": ["release-42", "release-4"],
    "4": ["release-42", "release-4"],
    "42": ["release-42"],
    "-42": ["release-42"],
    "ä": ["Straße nach Ärzen"],
    "Ä": ["Straße nach Ärzen"],
    "ÄRZ": ["Straße nach Ärzen"],
    "a\u0308rz": ["Straße nach Ärzen"],
    "STRASSE": ["Straße nach Ärzen"],
    "straße": ["Straße nach Ärzen"],
    "SSE": ["Straße nach Ärzen"],
    "ß": ["Straße nach Ärzen"],
    "%": ["other_100%"],
    "0%": ["other_100%"],
    "00%": ["other_100%"],
    "_": ["other_100%"],
    "r_1": ["other_100%"],
    '"': ['say "hello"'],
    'y "hel': ['say "hello"'],
    'y "hello"': ['say "hello"'],
    "café": ["naïve café", "cafe\u0301 of two characters"],
    "CAFE\u0301": ["naïve café", "cafe\u0301 of two characters"],
    "cafe ": [],
    "👩": ["👩🚀 to the moon"],
    "👩🚀": ["👩🚀 to the moon"],
    "👩🚀 to": ["👩🚀 to the moon"],
    "σίσυφος": ["ΣΊΣΥΦΟΣ"],
    "語": ["日本語のテキスト"],
    "日本語": ["日本語のテキスト"],
    "AND b OR": ["a AND b OR NOT c*"],
    "NOT": ["a AND b OR NOT c*"],
    "c*": ["a AND b OR NOT c*"],
    "rel*": [],
    "\\": ["back\\slash"],
    "k\\s": ["back\\slash"],
    "\0": [],
    "release\0-42": [],
    "-42\0": [],
    "\ud800": [],
    "rel\ud800": [],
    "  ": [],
    "release-42 and more": [],
    "release-422": [],
    "42job": [],
    "42\x1fjob": [],
    "42\njob": [],
    "job": IDS,
    "JOB": IDS,
    "o": IDS,
    "jo": IDS,
}


async def a_text_finds_what_contains_it_whatever_the_case(stores: Stores) -> None:
    durable = await stores.open()
    for id in IDS:
        await start(durable, id)
    await _check(durable, "before any upkeep")


async def a_text_finds_the_same_among_many_and_after_upkeep(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in IDS[:6]:
        await start(durable, id)
    # Enough that a store with an index would use it.
    for n in range(1200):
        await durable.start(f"fill {n}", "fill", 1, "null")
    for id in IDS[6:]:
        await start(durable, id)
    await _kept(durable)
    await _check(durable, "with an index, if there is one")
    await _check(other, "through another engine")

    for n in range(600):
        await durable.start(f"later {n}", "fill", 1, "null")
    await _check(durable, "with more that is not in an index yet")


async def a_text_finds_nothing_that_is_gone_or_hidden(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("release-41", "release-42", "release-43"):
        await finish(durable, id)
    for n in range(1200):
        await durable.start(f"fill {n}", "fill", 1, "null")
    await _kept(durable)
    await durable.delete("release-41")
    await durable.remove(["release-42"])

    for round in ("at once", "after upkeep"):
        assert await _ids(durable, Filter(text="release-4")) == ["release-43"], round
        assert await _ids(durable, Filter(text="release-4", removed=True)) == ["release-42"], round
        await _kept(durable)
    await durable.restore(["release-42"])
    await finish(durable, "release-41")
    assert set(await _ids(durable, Filter(text="release-4"))) == {"release-41", "release-42", "release-43"}
    for n in range(1200):
        await durable.delete(f"fill {n}")
    await _kept(durable)
    assert set(await _ids(durable, Filter(text="release-4"))) == {"release-41", "release-42", "release-43"}
    assert await _ids(durable, Filter(text="fill")) == []


async def _check(durable: Durable, when: str) -> None:
    for text, expected in FOUND.items():
        for filter in (Filter(text=text), Filter(names=["job"], text=text)):
            found = [id for id in await _ids(durable, filter) if id in IDS]
            assert set(found) == set(expected), f"{when}: {text!r} finds {found}, not {expected}"
            assert len(found) == len(expected), f"{when}: {text!r} finds some twice: {found}"
            keys = (await durable.catalogue.listing(filter, order="id")).keys
            ids = [row.id for row in await durable.catalogue.rows(keys) if row.id in IDS]
            assert ids == sorted(expected), f"{when}: {text!r} by id gives {ids}, not {sorted(expected)}"


async def _ids(durable: Durable, filter: Filter) -> list[str]:
    return [row.id for row in await durable.catalogue.list(filter, limit=5000)]


async def _kept(durable: Durable) -> None:
    """Have done whatever the store puts off."""
    for _ in range(1000):
        if not await durable.upkeep():
            return
    raise AssertionError("upkeep finds ever more to do")
