"""YAML as people write it for us: plain values, not deep, without aliases.

PyYAML alone is no border. Its constructors raise whatever they meet (`ValueError` for the date 2011-99-99,
`AttributeError` for a malformed ``!!timestamp``), deep nesting ends in `RecursionError`, an alias may stand for a list
that holds itself, and nine lines of aliases for a billion values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import yaml

MAX_DEPTH: Final = 40
MAX_CHARACTERS: Final = 100_000
"""PyYAML reads some 50,000 a second."""
MAX_LARGE_CHARACTERS: Final = 10_000_000
"""libyaml reads some two million a second."""


class _PlainLoader(yaml.SafeLoader):
    """Refuses aliases and depth while composing, before any value is made."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise ValueError(f"aliases (*name) are not taken{self._place()}")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels{self._place()}")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Of a key that stands twice PyYAML would take the last, and say nothing."""
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for index, (key, _) in enumerate(node.value):
            if isinstance(key, yaml.ScalarNode) and key.value in names[:index]:
                raise ValueError(f"the key {key.value!r} stands twice (line {key.start_mark.line + 1})")
        return super().construct_mapping(node, deep)

    def _place(self) -> str:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        return f" (line {event.start_mark.line + 1})"


def parse_yaml(text: str) -> Any:
    """Read one YAML document.

    Args:
        text: the document.

    Returns:
        Its value, None where it is empty.

    Raises:
        ValueError: not such YAML; the message, on one line, says where and why.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"{len(text)} characters; expected at most {MAX_CHARACTERS}")
    try:
        return yaml.load(text, Loader=_PlainLoader)
    except (yaml.YAMLError, ValueError, AttributeError, TypeError, OverflowError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def parse_large_yaml(text: str) -> Any:
    """Read one YAML document that a program has written: as `parse_yaml`, some ten times as fast, and longer ones.

    Args:
        text: the document.

    Returns:
        Its value, None where it is empty.

    Raises:
        ValueError: not such YAML; the message, on one line, says where and why.
    """
    if len(text) > MAX_LARGE_CHARACTERS:
        raise ValueError(f"{len(text)} characters; expected at most {MAX_LARGE_CHARACTERS}")
    try:
        _refuse_aliases_and_depth(text)
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, AttributeError, TypeError, OverflowError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def dump_plain_yaml(value: Any) -> str:
    """Write plain values as YAML, in their order, without aliases; innermost lists and mappings take one line.

    Args:
        value: of mappings, lists, texts, numbers, booleans and None.
    """
    text: str = yaml.dump(value, Dumper=_AliasFreeDumper, sort_keys=False, default_flow_style=None, width=10_000)
    return text


class _AliasFreeDumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _refuse_aliases_and_depth(text: str) -> None:
    depth = 0
    events: Iterator[Any] = yaml.parse(text, Loader=yaml.CSafeLoader)
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"aliases (*name) are not taken (line {line})")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(f"nested deeper than {MAX_DEPTH} levels (line {line})")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
