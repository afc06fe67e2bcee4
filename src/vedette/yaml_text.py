"""YAML as people write it for us: plain values, not deep, without aliases.

PyYAML alone is no border. Its constructors raise whatever they meet (`ValueError` for the date 2011-99-99,
`AttributeError` for a malformed ``!!timestamp``), deep nesting ends in `RecursionError`, an alias may stand for a list
that holds itself, and nine lines of aliases for a billion values.
"""

from __future__ import annotations

from typing import Any, Final

import yaml

MAX_DEPTH: Final = 40
MAX_CHARACTERS: Final = 100_000
"""PyYAML reads some 50,000 a second."""


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
