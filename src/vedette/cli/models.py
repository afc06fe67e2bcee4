"""`vedette models …`: take models in, look at them, check them, make them ready."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from vedette.cli.models_access import counted, finish, registry_of
from vedette.cli.models_evaluate import evaluate
from vedette.cli.models_listing import list_models, show
from vedette.cli.models_taking import import_models, pull
from vedette.cli.models_train import export, samples_app, train_app
from vedette.cli.options import ConfigOption, ModelsDirOption

if TYPE_CHECKING:
    from rich.status import Status

    from vedette.models.preparing import Preparation
    from vedette.models.registry import ModelRegistry
    from vedette.models.store import StoredModel

app = typer.Typer(name="models", help="Import, list, check and prepare models.", no_args_is_help=True)

app.command("import")(import_models)
app.command("pull")(pull)
app.command("list")(list_models)
app.command("show")(show)
app.command("evaluate")(evaluate)
app.add_typer(samples_app, name="samples")
app.add_typer(train_app, name="train")
app.command("export")(export)

_WAITING = "another vedette models prepare is at work in this folder: waiting until it is done"

NamesArgument = Annotated[
    list[str] | None, typer.Argument(help="Name or name@version, one or more; all by default.", show_default=False)
]


@app.command()
def verify(names: NamesArgument = None, models_dir: ModelsDirOption = None, config: ConfigOption = None) -> None:
    """Compare model files with the hashes on their cards. Exit status 1 when one differs."""
    from vedette.errors import ModelError

    complaints = []
    for found in _chosen(registry_of(config, models_dir), names):
        try:
            found.verify()
        except ModelError as error:
            complaints.append(str(error))
        else:
            typer.echo(f"{found.card.label}  intact")
    finish(complaints)


@app.command()
def prepare(
    names: NamesArgument = None,
    *,
    clear: Annotated[
        bool, typer.Option("--clear", help="First remove engines of models, runtimes and devices that are gone.")
    ] = False,
    models_dir: ModelsDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Make engines now (TensorRT: minutes), and not in service; what is there already is not made again.

    An engine is made anew when the model, the runtime, the providers, the device or the input's shape is another.
    """
    from vedette.cli.output import text_console
    from vedette.models.preparing import prepare as prepare_model

    registry = registry_of(config, models_dir)
    with registry.engines.alone(
        partial(typer.echo, "another vedette models prepare is at work here; waiting", err=True)
    ):
        _tell_of_stale_engines(registry, clear=clear)
        chosen = _chosen(registry, names)
        console = text_console(stderr=True)
        for number, found in enumerate(chosen, start=1):
            place = f"{found.card.label} ({number} of {len(chosen)})"
            with console.status(place) as status:
                done = prepare_model(registry, found.card.label, partial(_tell_step, status, place))
            typer.echo(_preparation_line(done))


def _tell_step(status: Status, place: str, step: str) -> None:
    status.update(f"{place}: {step}")


def _preparation_line(done: Preparation) -> str:
    engines = (
        f"{counted(done.engines_made, 'engine')} made in {done.make_ms / 1e3:.1f} s" if done.engines_made else "cached"
    )
    skipped = f"; not there: {', '.join(done.skipped_providers)}" if done.skipped_providers else ""
    return (
        f"{done.label}  ready, {engines}: loads in {done.load_ms:.0f} ms, runs in {done.run_ms:.0f} ms on"
        f" {', '.join(done.providers)}{skipped}"
    )


def _tell_of_stale_engines(registry: ModelRegistry, *, clear: bool) -> None:
    from vedette.errors import ModelCardError

    try:
        models = [card.sha256 for card in registry.list()]
    except ModelCardError:
        if clear:
            raise
        return  # the models that were asked for may be well; those whose card cannot be read may have engines
    stale = registry.engines.stale(models)
    if not stale:
        return
    size_mb = sum(one.size_bytes for one in stale) / 1e6
    what = f"{counted(len(stale), 'engine')} of models, runtimes or devices that are gone ({size_mb:.1f} MB)"
    if clear:
        registry.engines.remove(stale)
        typer.echo(f"removed {what}")
    else:
        typer.echo(f"{what}; to remove: vedette models prepare --clear", err=True)


def _chosen(registry: ModelRegistry, names: Sequence[str] | None) -> list[StoredModel]:
    if names:
        return [registry.store.find(name) for name in names]
    return [registry.store.get(folder) for folder in registry.store.model_folders()]
