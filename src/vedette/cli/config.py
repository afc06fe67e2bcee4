"""`vedette config show`: the effective settings and where each came from."""

from __future__ import annotations

from typing import Annotated

import typer

from vedette.cli.options import ConfigOption

app = typer.Typer(name="config", help="Look at the settings.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps `show` a sub-command while it is the only one."""


@app.command()
def show(
    config: ConfigOption = None,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="Print a file that --config reads back.")] = False,
) -> None:
    """Print every setting with its value, where it came from, and what it does.

    Example: VEDETTE_EDGE__OFFLOAD__INTERVAL=5 vedette config show
    """
    from rich.table import Column, Table

    from vedette.cli.output import text_console
    from vedette.config_loader import describe, flatten, load_settings_with_origins, settings_as_yaml

    settings, origins = load_settings_with_origins(config)
    if as_yaml:
        typer.echo(settings_as_yaml(settings), nl=False)
        return
    # names in one piece, also on a narrow screen: they are what one searches for
    table = Table(
        Column("setting", no_wrap=True), *(Column(name, overflow="fold") for name in ("value", "from", "meaning"))
    )
    meanings = describe()
    for name, value in flatten(settings).items():
        table.add_row(name, str(value), origins[name], meanings[name])
    text_console().print(table)
