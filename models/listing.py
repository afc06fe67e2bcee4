"""Which models there are: those that came with the package, the user's, and what of the catalogue is not here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from vedette.models.cards import ModelCard
from vedette.models.catalog import known_cards
from vedette.models.pulling import UPSTREAM, Upstream
from vedette.models.store import ModelStore, StoredModel

Origin = Literal["packaged", "yours", "catalogue"]

_NON_COMMERCIAL: Final = re.compile(r"non[- ]?commercial|\bBY-NC\b|research (use )?only", re.IGNORECASE)


@dataclass(frozen=True)
class Listed:
    """A model, here or not.

    Args:
        label: name and version; the name alone where no file of it has been seen.
        origin: where it is.
        task: what it does.
        title: of its card.
        licence: of its card.
        size_bytes: of its ONNX files; None where it is not here.
        next_step: what brings it here; None where it is.
    """

    label: str
    origin: Origin
    task: str
    title: str
    licence: str
    size_bytes: int | None = None
    next_step: str | None = None

    @property
    def is_non_commercial(self) -> bool:
        """Whether the licence forbids commercial use."""
        return is_non_commercial(self.licence)


def is_non_commercial(licence: str) -> bool:
    """Whether a licence's text says that it forbids commercial use.

    Args:
        licence: as on a card.
    """
    return _NON_COMMERCIAL.search(licence) is not None


def listed_model(stored: StoredModel, store: ModelStore) -> Listed:
    """A model that is here.

    Args:
        stored: the model.
        store: where it was found.
    """
    card = stored.card
    return Listed(
        card.label,
        "yours" if store.is_users(stored.folder) else "packaged",
        card.task,
        card.title,
        card.licence,
        size_bytes(stored),
    )


def size_bytes(stored: StoredModel) -> int:
    """Of a model's ONNX files that are there.

    Args:
        stored: the model.
    """
    paths = (stored.model_path, *stored.companion_paths.values())
    return sum(path.stat().st_size for path in paths if path.is_file())


def absent_models(names: set[str]) -> Iterator[Listed]:
    """The models of the catalogue that are not here, by name.

    Args:
        names: of those that are.
    """
    cards = {card.name: card for card in known_cards()}
    for name in sorted({*cards, *UPSTREAM} - names):
        upstream = UPSTREAM.get(name)
        card = cards.get(name)
        if card is not None:
            yield _absent(card, upstream)
        elif upstream is not None:
            step = upstream.way_here(name)
            yield Listed(name, "catalogue", upstream.task, upstream.title, upstream.licence, None, step)


def _absent(card: ModelCard, upstream: Upstream | None) -> Listed:
    step = f"vedette models import PATH/{card.file}" if upstream is None else upstream.way_here(card.name)
    return Listed(card.label, "catalogue", card.task, card.title, card.licence, None, step)
