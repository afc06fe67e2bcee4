"""What a training was made from: its `config.json`, read again to go on, to begin with its weights, and to export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from vedette.errors import ConfigError
from vedette.json_text import check_keys, read_json_object
from vedette.models.checkpoints import CHECKPOINT_FILE
from vedette.paths import write_whole

CONFIG_FILE: Final = "config.json"
_CONFIG: Final = "what vedette models train writes into the folder of a training"
_CONFIG_KEYS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "family": str,
    "options": dict,
    "config": dict,
    "samples": list,
    "held_out": dict,
    "start": (dict, type(None)),
    "torch": str,
}
_NO_SETTINGS: Final = ("folder", "torch", "options")
"""Keys of the configuration that may be others when a training goes on; options say again what settings say."""
_DIFFERENCES_SHOWN: Final = 4


class Samples(Protocol):
    """A folder of samples, read."""

    @property
    def folder(self) -> Path:
        """Where it is."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all of it."""

    @property
    def recipe(self) -> dict[str, Any]:
        """How it was made."""

    def __len__(self) -> int: ...


def write_config(run: Path, document: Mapping[str, Any]) -> None:
    """Say what a training is made from, before its first step.

    Args:
        run: its folder; made.
        document: for `config.json`.

    Raises:
        ConfigError: there is a checkpoint of a training that was made from something else.
    """
    run.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1) + "\n"
    if (run / CHECKPOINT_FILE).exists():
        different = list(_differences(read_config(run), json.loads(text)))
        if different:
            shown = "; ".join(different[:_DIFFERENCES_SHOWN]) + ("; …" if len(different) > _DIFFERENCES_SHOWN else "")
            raise ConfigError(
                f"{run} holds a training with other settings: {shown}. Go on with the same ones, or name another folder"
            )
    write_whole(run / CONFIG_FILE, text.encode())


def described(samples: Samples) -> dict[str, Any]:
    """A folder of samples as `config.json` has it.

    Args:
        samples: of the folder.
    """
    return {
        "folder": str(samples.folder),
        "count": len(samples),
        "sha256": samples.fingerprint,
        "recipe": samples.recipe,
    }


def read_config(run: Path) -> dict[str, Any]:
    """What a training was made from.

    Args:
        run: its folder.

    Raises:
        MissingDataError: nothing was trained there.
        FileFormatError: it is not as a training writes it.
    """
    path = run / CONFIG_FILE
    document = read_json_object(path, _CONFIG_KEYS, _CONFIG)
    _check(document, path)
    return document


def _check(document: Mapping[str, Any], path: Path) -> None:
    """Its keys are known to be there; those within are looked at, and those of the trainings before it."""
    check_keys(document["config"], {"steps": int}, path, _CONFIG)
    check_keys(document["held_out"], {"folder": str}, path, _CONFIG)
    for entry in document["samples"]:
        check_keys(entry, {"folder": str, "sha256": str, "count": int, "recipe": dict}, path, _CONFIG)
    start = document["start"]
    if start is None:
        return
    check_keys(start, {"sha256": str, "step": int, "training": (dict, type(None))}, path, _CONFIG)
    if start["training"] is not None:
        check_keys(start["training"], _CONFIG_KEYS, path, _CONFIG)
        _check(start["training"], path)


def _differences(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """One text for each value that is another, with its place."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in (key for key in {**before, **now} if key not in _NO_SETTINGS):
            yield from _differences(before.get(key), now.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True)):
            yield from _differences(*pair, f"{place}.{number}")
    elif before != now:
        yield f"{place} was {_short(before)} and is {_short(now)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
