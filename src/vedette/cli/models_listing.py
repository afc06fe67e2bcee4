"""`vedette models list` and `show`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import typer

from vedette.cli.models_access import finish, registry_of
from vedette.cli.options import ConfigOption, JsonOption, ModelsDirOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from vedette.models.listing import Listed
    from vedette.models.registry import ModelRegistry

_WIDE: Final = 110  # columns of a screen that has room for titles


def list_models(models_dir: ModelsDirOption = None, json: JsonOption = None, config: ConfigOption = None) -> None:
    """List the models there are, and those of the catalogue that can be had. Exit status 1 when a card cannot be used.

    *from* says where a model is: *packaged* with vedette, *yours* in the model folder, *catalogue* not here.
    """
    from vedette.cli.output import prepare_result, result_document, text_console, write_result

    prepare_result(json)
    registry = registry_of(config, models_dir)
    models, complaints = _models(registry)
    console = text_console(stderr=str(json) == "-")
    console.print(_table(models, with_titles=console.width >= _WIDE))
    for one in models:
        if one.next_step is not None:
            console.print(f"to get {one.label}: {one.next_step}", soft_wrap=True)
    if json is not None:
        runs = [{**asdict(one), "non_commercial": one.is_non_commercial} for one in models]
        write_result(result_document("models list", {"models.folder": str(registry.store.folder)}, runs), json)
    if not registry.store.folder.is_dir():
        console.print(
            f"no models of yours in {registry.store.folder}; add one with: vedette models import FILE.onnx",
            soft_wrap=True,
        )
    finish(complaints)


def show(name: str, models_dir: ModelsDirOption = None, json: JsonOption = None, config: ConfigOption = None) -> None:
    """Print a model's card: what it takes and gives, its licence, its measured accuracy. NAME or NAME@VERSION."""
    from vedette.cli.output import prepare_result, result_document, write_result
    from vedette.models.cards import card_as_yaml
    from vedette.models.listing import listed_model

    prepare_result(json)
    registry = registry_of(config, models_dir)
    stored = registry.store.find(name)
    typer.echo(card_as_yaml(stored.card), nl=False, err=str(json) == "-")
    if json is not None:
        listed = listed_model(stored, registry.store)
        run: dict[str, Any] = {
            **stored.card.model_dump(mode="json"),
            "origin": listed.origin,
            "size_bytes": listed.size_bytes,
            "non_commercial": listed.is_non_commercial,
        }
        write_result(result_document("models show", {"model": stored.card.label}, [run]), json)


def _models(registry: ModelRegistry) -> tuple[list[Listed], list[str]]:
    """All of them, and what is wrong with the cards of those that cannot be used."""
    from vedette.errors import ModelCardError
    from vedette.models.listing import absent_models, listed_model

    models, complaints, names = [], [], set()
    for folder in registry.store.model_folders():
        names.add(folder.parent.name)
        try:
            models.append(listed_model(registry.store.get(folder), registry.store))
        except ModelCardError as error:
            complaints.append(str(error))
    return [*models, *absent_models(names)], complaints


def _table(models: Sequence[Listed], *, with_titles: bool) -> Table:
    """On a narrow screen titles are left out and licences take several lines; names are typed, and never cut."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("model", "from", "task", "MB", "licence"):
        table.add_column(column, no_wrap=column != "licence", justify="right" if column == "MB" else "left")
    if with_titles:
        table.add_column("title")
    for one in models:
        size = "" if one.size_bytes is None else f"{one.size_bytes / 1e6:.1f}"
        licence = "non-commercial" if one.is_non_commercial else one.licence
        row = (one.label, one.origin, one.task, size, licence, one.title)
        table.add_row(*row[: len(table.columns)])
    return table
