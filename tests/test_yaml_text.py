"""YAML at the border: plain values come in, everything else is one kind of error."""

from __future__ import annotations

import datetime

import pytest

from vedette.yaml_text import MAX_DEPTH, parse_yaml


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
