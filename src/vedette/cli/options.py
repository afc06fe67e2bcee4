"""Command-line options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def given_path(text: str) -> Path:
    """A path on the command line, where no text at all, as of a script's empty variable, is not the current folder.

    Args:
        text: as typed.

    Raises:
        BadParameter: it is empty.
    """
    if not text:
        raise typer.BadParameter("is empty; expected a path (. is the current folder)")
    return Path(text)


ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="YAML settings; default: VEDETTE_CONFIG's file.",
        show_default=False,
    ),
]
ModelsDirOption = Annotated[
    Path | None,
    typer.Option("--models-dir", metavar="DIR", help="Folder of imported models.", show_default=False),
]
MetricsPortOption = Annotated[
    int | None,
    typer.Option("--metrics-port", help="Serve Prometheus metrics there; 0 takes a free port.", show_default=False),
]
JsonOption = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the result as JSON; - is stdout.", show_default=False),
]
