"""What the commands of `vedette models` share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from vedette.models.cards import ModelCard
    from vedette.models.registry import ModelRegistry
    from vedette.models.store import ModelStore


def registry_of(config: Path | None, models_dir: Path | None) -> ModelRegistry:
    """The registry that the settings speak of.

    Args:
        config: file of settings.
        models_dir: folder of models, instead of the settings'.

    Raises:
        ConfigError: the settings cannot be used.
    """
    from vedette.config_loader import load_settings
    from vedette.models.registry import ModelRegistry

    settings = load_settings(config, {"models.folder": models_dir}).models
    return ModelRegistry(settings.folder, settings.providers, settings.threads)


def tell_stored(store: ModelStore, card: ModelCard) -> None:
    """Print where a model is now, and whether one that comes with the package has its name.

    Args:
        store: that took it in.
        card: of the model.
    """
    folder = store.folder / card.name / card.version
    typer.echo(f"{card.label}  {folder}")
    packaged = store.packaged(card.name)
    if packaged:
        found = store.find(card.name)
        typer.echo(
            f"note: {', '.join(packaged)} comes with the package; {card.name} now stands for {found.card.label} in"
            f" {found.folder}. To undo it, remove {folder}",
            err=True,
        )


def finish(complaints: Sequence[str]) -> None:
    """Print what went wrong while the rest went on; exit status 1 where anything did.

    Args:
        complaints: a line each.
    """
    for complaint in complaints:
        typer.echo(f"vedette: {complaint}", err=True)
    if complaints:
        raise typer.Exit(1)


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    Args:
        number: of things.
        noun: for one of them.
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
