"""What a replay leaves in a folder: settings, figures, page, everything published, and the times really taken.

DIR/config.yaml  report.json  report.html  publications-POLICY.jsonl  measured_times.json

In file names what divides a policy's name from its variant is a hyphen: not every file system takes colons.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vedette.config import Settings
from vedette.config_loader import settings_as_yaml
from vedette.edge.sinks.jsonl import to_line
from vedette.errors import ConfigError
from vedette.replay.record import RunRecord


def prepare_folder(folder: Path) -> None:
    """Make the folder before the work begins, so that an hour's replay does not end on a typing error.

    Raises:
        ConfigError: it cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".vedette-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ConfigError(f"cannot write to the folder {folder}: {error.strerror}") from error


def save_replay(
    folder: Path,
    *,
    settings: Settings,
    document: Mapping[str, Any],
    page: str,
    records: Sequence[RunRecord],
    measured: Mapping[str, Any],
) -> None:
    """Write all files of a replay.

    Args:
        folder: from `prepare_folder`.
        settings: effective ones.
        document: the report.
        page: its HTML.
        records: of all policies.
        measured: times really taken; the only file that differs between equal simulated replays.

    Raises:
        ConfigError: a file cannot be written.
    """
    texts = {
        "config.yaml": settings_as_yaml(settings),
        "report.json": json.dumps(document, indent=2, allow_nan=False) + "\n",
        "report.html": page,
        "measured_times.json": json.dumps(measured, indent=2, allow_nan=False) + "\n",
    }
    for record in records:
        texts[publications_name(record.policy)] = "".join(map(to_line, record.publications))
    for name, text in texts.items():
        try:
            (folder / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"cannot write {folder / name}: {error.strerror}") from error


def publications_name(policy: str) -> str:
    """Name of the file of a policy's publications.

    Args:
        policy: its name, with the variant where it has one.
    """
    return f"publications-{re.sub(r'[^A-Za-z0-9@._-]', '-', policy)}.jsonl"
