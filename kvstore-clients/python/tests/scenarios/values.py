"""Single keys, conditions and batches."""

from __future__ import annotations

import doctest
import io
import re
from pathlib import Path

from kvstore import (
    Condition,
    ConditionFailedError,
    Durability,
    InvalidRequestError,
    TooLargeError,
)

from .harness import World, raises, same


def put_get_remove(world: World) -> None:
    """Single keys: each byte, the shortest and the longest, text, and no value."""
    table = world.new_table("single")
    limit = world.client.server_info().max_key_bytes
    every_byte = bytes(range(256))
    keys = [every_byte, b"", b"\x00", b"\xff" * 7, "sm\u00f8r".encode(), b"k" * limit]
    for number, key in enumerate(keys):
        same(None, table.get(key))
        same(False, table.contains(key))
        table.put(key, b"value %d" % number)
    for number, key in enumerate(keys):
        same(b"value %d" % number, table.get(key))
        same(True, table.contains(key))
    same(b"value 4", table["sm\u00f8r"])
    same(65_535, limit)
    for call in (table.get, table.remove, lambda key: table.put(key, b"")):
        error = raises(TooLargeError, lambda call=call: call(b"k" * (limit + 1)), "TOO_LARGE")
        same(True, str(limit) in error.message)

    table.put(every_byte, b"", durability=Durability.SYNC)
    same(b"", table.get(every_byte))
    table.remove(every_byte, durability=Durability.BUFFERED)
    table.remove(every_byte)
    same(None, table.get(every_byte))

    table["item"] = bytearray(b"memory")
    same((True, b"memory"), ("item" in table, table[memoryview(b"item")]))
    same(sorted([*keys[1:], b"item"]), list(table))
    del table["item"]
    try:
        table["item"]
        raise AssertionError("expected KeyError")
    except KeyError:
        pass


def large_values(world: World) -> None:
    """Large values arrive whole; one over the limit is refused and harms nothing."""
    table = world.new_table("large")
    value = bytes(range(256)) * (8 * 1024 * 4)
    same(8 * 1024 * 1024, len(value))
    table.put("large", value)
    same(True, table.get("large") == value)
    limit = world.client.server_info().max_value_bytes
    table.put("largest", bytes(limit))
    same(limit, len(table["largest"]))
    raises(TooLargeError, lambda: table.put("over", bytes(limit + 1)), "TOO_LARGE")
    same(None, table.get("over"))
    raises(TooLargeError, lambda: table.put("over", bytes(20 * 1024 * 1024)), "TOO_LARGE")
    table.put("after", b"small")
    same(b"small", table.get("after"))
    keys = ["largest", "largest"]
    raises(TooLargeError, lambda: table.get_all(keys), "ANSWER_TOO_LARGE")
    same(b"small", table.get("after"))


def get_all(world: World) -> None:
    """Several keys at once, in order, with missing and duplicate ones."""
    table = world.new_table("all")
    table.put("a", b"1")
    table.put("b", b"")
    keys = ["b", "missing", "a", "b", b"a"]
    same([b"", None, b"1", b"", b"1"], table.get_all(keys))
    same([], table.get_all([]))
    limit = world.client.server_info().max_items
    same([b"1"] * limit, table.get_all(["a"] * limit))
    raises(TooLargeError, lambda: table.get_all(["a"] * (limit + 1)), "TOO_LARGE")


def conditions(world: World) -> None:
    """Writes that depend on what is there."""
    table = world.new_table("conditions")
    same(True, table.put_if_absent("key", b"1"))
    same(False, table.put_if_absent("key", b"2"))
    same(b"1", table.get("key"))

    same(False, table.replace("key", b"3", expected=b"2"))
    same(True, table.replace("key", b"3", expected=b"1"))
    same(False, table.replace("missing", b"3", expected=b""))
    same(b"3", table.get("key"))

    same(False, table.remove_expected("key", b"1"))
    same(True, table.contains("key"))
    same(True, table.remove_expected("key", b"3"))
    same(False, table.contains("key"))

    same(False, table.put_if("key", b"4", Condition.exists()))
    table.put("key", b"4")
    same(True, table.put_if("key", b"5", Condition.exists()))
    same(False, table.remove_if("key", Condition.absent()))

    tagged = table.get_tagged("key")
    assert tagged is not None
    same(b"5", tagged.value)
    same(None, table.get_tagged("missing"))
    table.put("key", b"6")
    same(False, table.put_if("key", b"7", Condition.tag_is(tagged.tag)))
    table.put("key", b"5")
    same(True, table.put_if("key", b"7", Condition.tag_is(tagged.tag)))
    same(False, table.remove_if("key", Condition.tag_is(tagged.tag)))
    same(True, table.remove_if("key", Condition.value_is(b"7")))
    same(None, table.get("key"))


def merges(world: World) -> None:
    """Writes that are computed from what is there, and those that give it."""
    table = world.new_table("merges")
    same((5, -2), (table.add("n", 5), table.add("n", -7, durability=Durability.SYNC)))
    same((b"-2", -1), (table.get("n"), table.add("n")))
    table.put("n", b"%d" % (2**63 - 1))
    raises(InvalidRequestError, lambda: table.add("n", 1), "INVALID_REQUEST")
    raises(InvalidRequestError, lambda: table.add("n", 2**63), "INVALID_REQUEST")
    same(-1, table.add("n", -(2**63)))
    table.put("n", b"seven")
    raises(InvalidRequestError, lambda: table.add("n", 1), "INVALID_REQUEST")
    same(b"seven", table.get("n"))

    same((3, 5), (table.append("text", b"abc"), table.append("text", bytearray(b"de"))))
    same((5, 7), (table.patch("text", 1, b"BC"), table.patch("text", 5, b"FG")))
    for offset in (-1, 8, 2**31):
        raises(
            InvalidRequestError,
            lambda offset=offset: table.patch("text", offset, b"x"),
            "INVALID_REQUEST",
        )
    raises(InvalidRequestError, lambda: table.append("text", bytes(1 << 20)), "INVALID_REQUEST")
    same(b"aBCdeFG", table.get_and_put("text", b""))
    same(b"", table.get_and_remove("text"))
    same((None, None), (table.get_and_remove("text"), table.get_and_put("text", b"1")))

    batch = world.client.batch(world.database).put(table, "n", b"1").add(table, "n", 41)
    batch.append(table.name, "list", b"abc").patch(table, "list", 1, b"B").remove(table, "text")
    batch.write()
    same([b"42", b"aBc", None], table.get_all(["n", "list", "text"]))
    batch = world.client.batch(world.database).add(table, "n").add(table, "list")
    raises(InvalidRequestError, batch.write, "INVALID_REQUEST")
    same(b"42", table.get("n"))


def counter(world: World) -> None:
    """The example of a counter in the README of the clients, run as it is written."""
    text = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    example = example.replace("kvstore://localhost", world.url())
    example = example.replace('"demo"', f'"{world.database}"')
    runner = doctest.DocTestRunner(verbose=False)
    told = io.StringIO()
    parsed = doctest.DocTestParser().get_doctest(example, {}, "counter", "README.md", 0)
    result = runner.run(parsed, out=told.write)
    same(("", 0), (told.getvalue(), result.failed))
    same(True, result.attempted > 3)


def batches(world: World) -> None:
    """Changes of two tables at once, all or none."""
    first, second = world.new_table("first"), world.new_table("second")
    first.put("old", b"0")
    batch = world.client.batch(world.database)
    batch.put(first, "a", b"1").put(second.name, "a", b"2").remove(first, "old")
    batch.put(first, "b", b"lost").put(first, "b", b"last")
    batch.check(first, "old", Condition.value_is(b"0"))
    batch.check(second, "a", Condition.absent())
    place = batch.write(durability=Durability.SYNC)
    same([b"1", None, b"last"], first.get_all(["a", "old", "b"]))
    same(b"2", second.get("a"))

    batch = world.client.batch(world.database).put(first, "a", b"9").put(second, "b", b"9")
    batch.check(first, "a", Condition.exists()).check(second, "a", Condition.absent())
    batch.check(first, "missing", Condition.exists())
    error = raises(ConditionFailedError, batch.write)
    assert isinstance(error, ConditionFailedError)
    same(1, error.failed_check)
    same((b"1", None), (first.get("a"), second.get("b")))

    same(True, world.client.batch(world.database).remove(second, "a").write() > place)
    same(None, second.get("a"))
    raises(InvalidRequestError, world.client.batch(world.database).write, "INVALID_REQUEST")
