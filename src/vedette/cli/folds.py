"""The option ``--folds`` of commands that read KITTI's object frames."""

from __future__ import annotations

from collections.abc import Sequence


def chosen_folds(text: str | None, sources: Sequence[str]) -> frozenset[int] | None:
    """The folds that an option names, see `datasets/kitti/splits.yaml`.

    Args:
        text: as it was given.
        sources: that are read.

    Returns:
        Their numbers; None where the option was not given.

    Raises:
        ConfigError: no numbers of folds, or none of the sources has any.
    """
    from vedette.datasets.kitti.splits import load_splits
    from vedette.errors import ConfigError

    if text is None:
        return None
    parts = text.split(",")
    last = len(load_splits().object_folds) - 1
    if not all(part.strip().isdecimal() and int(part) <= last for part in parts):
        raise ConfigError(f"folds {text!r}: expected numbers from 0 to {last} with commas between, such as 1,2,3,4")
    if not any(source.startswith("kitti-object:") for source in sources):
        raise ConfigError(f"folds {text!r}: only kitti-object sources have them; given: {', '.join(sources)}")
    return frozenset(map(int, parts))
