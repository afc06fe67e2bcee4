"""The demo needs nothing but the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vedette.cli.demo import CLOUD_DETECTOR_3D, EDGE_DETECTOR_3D
from vedette.cli.main import app
from vedette.models.store import PACKAGED_FOLDER


@pytest.mark.skipif(
    not all((PACKAGED_FOLDER / name).is_dir() for name in (EDGE_DETECTOR_3D, CLOUD_DETECTOR_3D)),
    reason="the 3D detectors of the demo are not packaged: docs/models.md says how to train and export them",
)
@pytest.mark.timeout(300)
def test_shortened_demo_ends_with_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A generated drive, a cloud of its own, three policies, a page; without any model imported."""
    monkeypatch.setenv("VEDETTE_MODELS__FOLDER", str(tmp_path / "no-models"))
    out = tmp_path / "demo"
    result = CliRunner().invoke(app, ["demo", "--frames", "12", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert str(out / "report.html") in result.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/jpeg") >= 3
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert [run["policy"] for run in report["runs"]] == ["edge-only", "cloud-only", "moby"]
    assert report["config"]["network"].startswith("fading:")
    moby = report["runs"][2]
    assert moby["bad_frames"] == 0
    assert moby["answered_frames"] > 0  # a busy machine skips frames; how many says nothing of the program


@pytest.mark.parametrize(("arguments", "said"), [(["--frames", "1"], "--frames"), (["--seed", "-1"], "--seed")])
def test_impossible_drives_are_refused(arguments: list[str], said: str) -> None:
    """Before anything is made."""
    result = CliRunner().invoke(app, ["demo", *arguments])
    assert result.exit_code == 2
    assert said in result.output
