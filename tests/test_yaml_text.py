"""YAML at the border: plain values come in, everything else is one kind of error."""

from __future__ import annotations

import datetime

import pytest

from vedette.yaml_text import MAX_DEPTH, dump_plain_yaml, parse_large_yaml, parse_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("a: [1, 2.5, x]\n", {"a": [1, 2.5, "x"]}),
        ("- - - 3\n", [[[3]]]),
        ("a: {b: 2011-09-09}\n", {"a": {"b": datetime.date(2011, 9, 9)}}),
    ],
)
def test_plain_values(text: str, value: object) -> None:
    """As PyYAML reads them."""
    assert parse_yaml(text) == value


def test_depth_to_the_limit() -> None:
    """Is taken."""
    assert parse_yaml("[" * MAX_DEPTH + "]" * MAX_DEPTH)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "expected the node content"),
        ("a: 2011-99-99", "month must be in"),
        ("a: !!timestamp x", "groupdict"),
        ("a: !!int x", "invalid literal"),
        ("!!python/object:os.system x", "could not determine a constructor"),
        ("a: &a [*a]", "aliases"),
        ("a: 1\nb: {c: 1, d: 2,\n  c: 3}", r"the key 'c' stands twice \(line 3\)"),
        ("<<: 3", "expected a mapping"),
        ("[" * 5000, "nested deeper than 40 levels"),
        ("\n".join(" " * depth + "a:" for depth in range(400)), "nested deeper than 40 levels"),
        ("x" * 100_001, "expected at most 100000"),
    ],
)
def test_everything_else_is_a_value_error_on_one_line(text: str, message: str) -> None:
    """Whatever PyYAML raises for it."""
    with pytest.raises(ValueError, match=message) as caught:
        parse_yaml(text)
    assert "\n" not in str(caught.value)


def test_aliases_do_not_multiply() -> None:
    """A billion values in nine lines are refused before the first is made."""
    lines = [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(ValueError, match="aliases"):
        parse_yaml("\n".join(["l0: &l0 [x]", *lines]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "did not find expected"),
        ("a: 2011-99-99", "month must be in"),
        ("!!python/object:os.system x", "could not determine a constructor"),
        ("a: &a [*a]", "aliases .*line 1"),
        ("[" * 5000, "nest"),
        ("\n".join(" " * depth + "a:" for depth in range(400)), "nested deeper than 40 levels"),
        ("x" * 10_000_001, "expected at most 10000000"),
    ],
)
def test_large_documents_have_the_same_border(text: str, message: str) -> None:
    """The faster reader refuses what the other one does."""
    with pytest.raises(ValueError, match=message) as caught:
        parse_large_yaml(text)
    assert "\n" not in str(caught.value)


def test_dump_and_large_parse() -> None:
    """Values come back, in their order; a list that is there twice is written twice; small numbers stay numbers."""
    pose = [1e-05, -2.5, 0.1 + 0.2]
    value = {"b": pose, "a": {7: pose, 650: {"name": "x: y", "none": None, "on": True}}, "empty": []}
    text = dump_plain_yaml(value)
    assert parse_large_yaml(text) == value
    assert list(parse_large_yaml(text)) == ["b", "a", "empty"]
    assert parse_large_yaml("") is None
