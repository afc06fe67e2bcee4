"""Saved replays side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vedette.cli.main import app
from vedette.errors import FileFormatError, MissingDataError

RUN: dict[str, Any] = {
    "policy": "moby", "frames": 10, "labels.car.3d.0.5.r50": 7, "f1.car.3d.0.5.r50": 61.25,
    "latency_ms": {"p50": 80.0, "p95": 90.0, "p99": None, "stages": {}},
    "age_ms": {"p50": None, "p95": None, "p99": None},
    "answered_frames": 10, "propagated_frames": 0, "skipped_frames": 0, "bad_frames": 0,
    "offered_frames": 2, "offered_share": 0.2, "offloaded_frames": 2, "offloaded_share": 0.2,
    "answers": 1, "lost": {"deadline": 1}, "bytes_up": 100_000, "bytes_down": 500,
}  # fmt: skip


def saved(folder: Path, *runs: dict[str, Any], **changes: Any) -> Path:
    folder.mkdir()
    document = {"schema": "vedette.result/1", "command": "replay", "config": {}, "runs": list(runs)} | changes
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def test_two_folders(tmp_path: Path) -> None:
    """Each run is a column named after policy and folder; what one of them lacks is a dash."""
    lte = saved(tmp_path / "lte", RUN)
    wifi = saved(tmp_path / "wifi", {key: value for key, value in RUN.items() if key != "f1.car.3d.0.5.r50"})
    result = CliRunner().invoke(app, ["report", str(lte), str(wifi)], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    assert "moby lte" in result.output
    assert "moby wifi" in result.output
    row = next(line for line in result.output.splitlines() if "F1, 3D IoU 0.5" in line)
    assert "61.2" in row
    assert "–" in row


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (None, MissingDataError),
        ("{", FileFormatError),
        ("[]", FileFormatError),
        ('{"command": "evaluate", "runs": [{}]}', FileFormatError),
        ('{"command": "replay", "runs": []}', FileFormatError),
        ('{"command": "replay", "runs": [{"policy": "moby"}]}', FileFormatError),
    ],
)
def test_refuses(tmp_path: Path, content: str | None, kind: type[Exception]) -> None:
    """A folder without a report, and files that are not one."""
    if content is not None:
        (tmp_path / "report.json").write_text(content, encoding="utf-8")
    assert isinstance(CliRunner().invoke(app, ["report", str(tmp_path)]).exception, kind)
