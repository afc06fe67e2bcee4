"""`vedette report`: saved replays side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR…", help="Folders of vedette replay --out.", show_default=False)
    ],
) -> None:
    """Print the figures of one or more saved replays side by side.

    Example: vedette report runs/lte runs/wifi
    """
    from vedette.cli.output import text_console
    from vedette.replay.load import load_runs
    from vedette.replay.report.terminal import terminal_report

    title = f"Replays saved in {', '.join(str(folder) for folder in folders)}"
    console = text_console()
    console.print(terminal_report(title, load_runs(folders), notes=[], width=console.width))
