"""Assembles the commands and turns our errors into one clear line and an exit status."""

from __future__ import annotations

import errno
import sys
from typing import Annotated, Final

import typer

from vedette import __version__
from vedette.cli import bench, cloud, config, data, demo, doctor, edge, evaluate, link_sim, models, replay, report
from vedette.errors import VedetteError

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a write says, which does not know its file's name."""

app = typer.Typer(
    name="vedette",
    help="Edge perception runtime with cloud offload: 3D boxes at sensor rate, anchored by late cloud answers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vedette {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


app.add_typer(config.app)
app.add_typer(bench.app)
app.add_typer(cloud.app)
app.add_typer(edge.app)
app.add_typer(evaluate.app)
app.add_typer(data.app)
app.add_typer(models.app)
app.command()(demo.demo)
app.command()(doctor.doctor)
app.command()(link_sim.link_sim)
app.command()(replay.replay)
app.command()(report.report)


def main() -> None:
    """Run the command line. Exit status 2 means: the input or the settings are wrong, and the message says how."""
    try:
        app()
    except VedetteError as error:
        typer.echo(f"vedette: {error}", err=True)
        sys.exit(2)
    except OSError as error:  # a folder that may not be read, a disk that fails: nothing a traceback would explain
        if error.filename is None and error.errno not in _NO_ROOM:
            raise
        typer.echo(f"vedette: {error.filename or 'a file cannot be written'}: {error.strerror}", err=True)
        sys.exit(2)
