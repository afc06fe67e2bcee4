"""The file that holds all that a training needs to go on, seen from outside: whether it is one, and of which family."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from vedette.errors import ConfigError, MissingDataError

CHECKPOINT_FILE: Final = "checkpoint.pt"


def check_checkpoint(path: Path) -> None:
    """See that a file can be a checkpoint, before anything is loaded.

    Args:
        path: of the file.

    Raises:
        MissingDataError: it is not there.
        ConfigError: it is something else, or was cut short.
    """
    if not path.exists():
        raise MissingDataError(f"{path}: not there; expected the checkpoint.pt of a training")
    if not zipfile.is_zipfile(path):
        raise ConfigError(f"{path}: another file, or cut short; expected the checkpoint.pt of a training")


def checkpoint_state(path: Path, load: Callable[[Path], Any], family: str, setting: str) -> dict[str, Any]:
    """What a checkpoint holds, once it is known to be of a family.

    Args:
        path: of the file.
        load: reads it, as torch does, which is not imported here.
        family: that it must be of.
        setting: key of the configuration that trainings of this family have, and those of others do not.

    Raises:
        MissingDataError: it is not there.
        ConfigError: it is of another family, or of another program.
    """
    check_checkpoint(path)
    try:
        state = load(path)
    except (RuntimeError, pickle.UnpicklingError) as error:
        raise ConfigError(f"{path}: cannot be loaded; expected the checkpoint.pt of a training of {family}") from error
    config = state.get("config") if isinstance(state, dict) else None
    if not isinstance(config, dict) or setting not in config:
        raise ConfigError(f"{path}: not of a training of {family}; expected the checkpoint.pt of one")
    return dict(state)
