"""The report on the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vedette.replay.report.definitions import REPORT_DEFINITIONS
from vedette.replay.report.summary import Row, summary_rows

_LABEL_WIDTH: Final = 34
"""Of the column of names, with its borders; the longest name takes two lines then."""
_BORDER_WIDTH: Final = 3
_MIN_COLUMN_WIDTH: Final = 10
_MAX_COLUMN_WIDTH: Final = 16


def terminal_report(title: str, runs: Sequence[Mapping[str, Any]], notes: Sequence[str], width: int) -> RenderableType:
    """The figures of all policies side by side, notes and definitions beneath.

    Args:
        title: above the figures.
        runs: of the report's document.
        notes: one sentence each.
        width: of the terminal, in characters; where not all runs fit beside each other, there are several tables.
    """
    lines = [Text.assemble(("• ", "dim"), note) for note in notes]
    defined = [
        Text.assemble((f"{name}: ", "dim bold"), (meaning, "dim")) for name, meaning in REPORT_DEFINITIONS.items()
    ]
    tables = _tables([run["policy"] for run in runs], summary_rows(runs), width)
    return Group(Text(title, style="bold"), *tables, *lines, Padding(Group(*defined), (1, 0, 0, 0)))


def _tables(names: Sequence[str], rows: Sequence[Row], width: int) -> Iterator[Table]:
    words = [word for name in names for word in name.split()]
    figures = [text for row in rows for text in row.texts]
    column_width = min(max(_MIN_COLUMN_WIDTH, *map(len, words), *map(len, figures)), _MAX_COLUMN_WIDTH)
    at_a_time = max(1, (width - _LABEL_WIDTH) // (column_width + _BORDER_WIDTH))
    for first in range(0, len(names), at_a_time):
        yield _table(names, rows, range(first, min(first + at_a_time, len(names))), column_width)


def _table(names: Sequence[str], rows: Sequence[Row], shown: range, column_width: int) -> Table:
    """The figures of some of the runs; what is best of all of them stays bold."""
    table = Table()
    table.add_column("")
    for column in shown:
        heading = Text(_broken(names[column], column_width))
        table.add_column(heading, justify="right", width=column_width, overflow="fold")
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            table.add_section()
            table.add_row(Text(group, style="dim bold"))
        table.add_row(Text(row.label), *(_cell(row, column) for column in shown))
    return table


def _broken(name: str, width: int) -> str:
    """A policy's name on lines of a width; a long one is broken after colons and hyphens where it has them."""
    if len(name) <= width:
        return name
    return "\n".join(textwrap.wrap(name.replace(":", ": "), width)).replace(": ", ":")


def _cell(row: Row, column: int) -> Text:
    return Text(row.texts[column], style="bold" if column in row.best else "")
