"""Reports of earlier replays, read back from their folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from vedette.errors import FileFormatError
from vedette.json_text import read_json_object

REPORT_FILE: Final = "report.json"
_SHARES: Final = ("offered_share", "offloaded_share")
_NEEDED: Final = ("policy", "frames", "latency_ms", "age_ms", "lost", "bytes_up", "bytes_down", *_SHARES)


def load_runs(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """The runs of all folders in order; with several folders, each policy is named with its folder.

    Args:
        folders: as ``vedette replay --out`` left them.

    Raises:
        MissingDataError: a folder holds no report.
        FileFormatError: a report is not one of a replay.
    """
    runs = []
    for folder in folders:
        for run in _runs_of(folder / REPORT_FILE):
            name = run["policy"] if len(folders) == 1 else f"{run['policy']} {folder.name}"
            runs.append(run | {"policy": name})
    return runs


def _runs_of(path: Path) -> list[dict[str, Any]]:
    expected = "the report of a replay, as vedette replay --out saves it"
    document = read_json_object(path, {"command": str, "runs": list}, expected)
    runs: list[dict[str, Any]] = document["runs"]
    if document["command"] != "replay" or not runs or not all(_is_run(run) for run in runs):
        raise FileFormatError(path, met="another document", expected=expected)
    return runs


def _is_run(run: object) -> bool:
    return isinstance(run, dict) and all(key in run for key in _NEEDED)
