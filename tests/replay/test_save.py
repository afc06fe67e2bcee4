"""What a replay leaves in a folder."""

from __future__ import annotations

import json

import pytest

from vedette.config import Settings
from vedette.config_loader import load_settings
from vedette.errors import ConfigError
from vedette.replay.save import prepare_folder, publications_name, save_replay


def test_files(tmp_path, simulated, street):
    """Settings read back to equal ones; JSON parses; every publication is a line."""
    records, _, runs = simulated(street(8), policies=["edge-only:other", "moby"])
    folder = tmp_path / "runs" / "first"
    prepare_folder(folder)
    save_replay(
        folder, settings=Settings(), document={"runs": runs}, page="<html>", records=records, measured={"moby": {}}
    )
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.yaml",
        "measured_times.json",
        "publications-edge-only-other.jsonl",
        "publications-moby.jsonl",
        "report.html",
        "report.json",
    ]
    assert load_settings(folder / "config.yaml") == Settings()
    assert json.loads((folder / "report.json").read_text())["runs"][1]["policy"] == "moby"
    lines = (folder / "publications-moby.jsonl").read_text().splitlines()
    shown = [json.loads(line) for line in lines]
    assert [line["frame"] for line in shown if not line["forecast"]] == list(range(8))
    assert any(line["forecast"] for line in shown)


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        ("moby-device", "publications-moby-device.jsonl"),
        ("cloud-only:raw", "publications-cloud-only-raw.jsonl"),
        ("edge-only:pillars-nano-synth@1", "publications-edge-only-pillars-nano-synth@1.jsonl"),
        ("edge-only:../../x y", "publications-edge-only-..-..-x-y.jsonl"),
    ],
)
def test_file_names_are_safe(policy, name):
    """Whatever the user called the policy: no colons, no folders, no spaces."""
    assert publications_name(policy) == name


def test_refuses_a_folder_that_is_a_file(tmp_path):
    """Found out before the work begins."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot write to the folder"):
        prepare_folder(tmp_path / "file")
