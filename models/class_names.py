"""Whose names a model's classes are: finds the table that maps them to ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, get_args

from vedette.errors import ConfigError, ModelCardError
from vedette.models.cards import Labels
from vedette.models.catalog import known_cards
from vedette.models.labels import TABLES
from vedette.paths import may_never_end

NONE: Final = "none"
"""Stands for a class that is none of ours."""
TABLE_ORDER: Final[tuple[Labels, ...]] = get_args(Labels)
"""Which table is tried first; names that stand in several mean the same in all but COCO, whose riders are joined."""

_NOBODYS: Final = frozenset({NONE, "background"})
_NO_OBJECTS: Final[dict[str, frozenset[str]]] = {
    "kitti": frozenset({"DontCare"}),
    "nuscenes": frozenset({"barrier", "traffic_cone"}),
}
"""Names that a table's owner knows and we have no class for; COCO's are on the cards of the catalogue."""


def coco_names() -> tuple[str, ...]:
    """COCO's 80 detection classes, in the order of everybody's exports."""
    return next(card.classes for card in known_cards() if card.labels == "coco")


def table_for(names: Sequence[str]) -> Labels:
    """The table that knows all of some names.

    Args:
        names: of a model's classes.

    Raises:
        ModelCardError: there is none; the message lists the names that the best table lacks.
    """
    missing = {table: unknown_names(names, table) for table in TABLE_ORDER}
    best = min(TABLE_ORDER, key=lambda table: len(missing[table]))
    if missing[best]:
        raise ModelCardError(_complaint(missing[best], best))
    return best


def require_known(names: Sequence[str], table: Labels) -> None:
    """Check that a table knows all of some names.

    Args:
        names: of a model's classes.
        table: to look them up in.

    Raises:
        ModelCardError: it lacks some; the message lists them.
    """
    if missing := unknown_names(names, table):
        raise ModelCardError(_complaint(missing, table))


def unknown_names(names: Sequence[str], table: Labels) -> list[str]:
    """Names that a table does not know, in their order.

    Args:
        names: of a model's classes.
        table: to look them up in.
    """
    known = {*_NOBODYS, *TABLES[table], *_NO_OBJECTS.get(table, ()), *(coco_names() if table == "coco" else ())}
    return [name for name in names if name not in known]


def read_names(path: Path) -> tuple[str, ...]:
    """Names from a file, one a line; empty lines are passed over.

    Args:
        path: the file.

    Raises:
        ConfigError: it cannot be read, or holds none.
    """
    if may_never_end(path):
        raise ConfigError(f"{path}: neither file nor folder but a pipe or a device; expected a file of class names")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as a list of class names: {error}") from error
    names = tuple(line.strip() for line in lines if line.strip())
    if not names:
        raise ConfigError(f"{path}: holds no class names; expected one a line, in the order of the model's classes")
    return names


def _complaint(missing: Sequence[str], table: Labels) -> str:
    return (
        f"class names that map to nothing: {', '.join(missing)}; the nearest table, {table!r}, has"
        f" {', '.join(TABLES[table])}. Say what they are (--classes, or classes on the card), in the order of the"
        f" model's classes, or {NONE!r} for what is none of these"
    )
