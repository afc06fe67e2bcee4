"""The committed data splits: what may be looked at, what may be tuned on, and what is kept for the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vedette.datasets.kitti.fields import read_text
from vedette.errors import FileFormatError

SPLITS_FILE: Final = Path(__file__).with_name("splits.yaml")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TrackingFrames(_Part):
    """Consecutive frames of a tracking sequence; both ends are included."""

    sequence: str
    first: int = Field(ge=0)
    last: int = Field(ge=0)


class Split(_Part):
    """The data for one purpose.

    Args:
        tracking: parts of tracking sequences.
        raw: raw drives, as `DATE_drive_NNNN`.
        object_folds: numbers of folds of the object frames.
    """

    tracking: tuple[TrackingFrames, ...] = ()
    raw: tuple[str, ...] = ()
    object_folds: tuple[Annotated[int, Field(ge=0)], ...] = ()


class Splits(_Part):
    """All splits.

    Args:
        look: view freely, shape the world on it.
        tune: thresholds only.
        report: neither viewed nor tuned on before the final run.
        object_folds: for each fold, its frames by drive.
    """

    look: Split
    tune: Split
    report: Split
    object_folds: tuple[dict[str, tuple[int, ...]], ...]

    def object_frames(self, fold: int) -> tuple[int, ...]:
        """The object frames of a fold, in order.

        Args:
            fold: its number, from 0.
        """
        return tuple(sorted(frame for frames in self.object_folds[fold].values() for frame in frames))


def load_splits(path: Path = SPLITS_FILE) -> Splits:
    """Read the splits.

    Args:
        path: the YAML file; the committed one unless told otherwise.

    Raises:
        MissingDataError: no such file.
        FileFormatError: it is not what this reader understands.
    """
    try:
        return Splits.model_validate(yaml.safe_load(read_text(path, "splits file")))
    except (ValidationError, yaml.YAMLError) as error:
        raise FileFormatError(path, met=str(error), expected="look, tune, report and object_folds") from None
