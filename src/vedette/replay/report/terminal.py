"""The report on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vedette.replay.report.definitions import REPORT_DEFINITIONS
from vedette.replay.report.summary import Row, summary_rows


def terminal_report(title: str, runs: Sequence[Mapping[str, Any]], notes: Sequence[str]) -> RenderableType:
    """The figures of all policies side by side, notes and definitions beneath.

    Args:
        title: above the table.
        runs: of the report's document.
        notes: one sentence each.
    """
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("")
    for run in runs:
        table.add_column(run["policy"], justify="right")
    group = ""
    for row in summary_rows(runs):
        if row.group != group:
            group = row.group
            table.add_section()
            table.add_row(Text(group, style="dim bold"))
        table.add_row(Text(row.label), *_cells(row))
    lines = [Text.assemble(("• ", "dim"), note) for note in notes]
    defined = [
        Text.assemble((f"{name}: ", "dim bold"), (meaning, "dim")) for name, meaning in REPORT_DEFINITIONS.items()
    ]
    return Group(table, *lines, Padding(Group(*defined), (1, 0, 0, 0)))


def _cells(row: Row) -> list[Text]:
    return [Text(text, style="bold" if i in row.best else "") for i, text in enumerate(row.texts)]
