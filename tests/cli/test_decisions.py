"""`vedette replay mcap:FILE`: what is printed, what is refused, and the exit status."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from vedette.cli.main import app
from vedette.config import Settings
from vedette.edge.offload.drift import Drift
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.policy import Situation
from vedette.edge.recording.log import EntryLog
from vedette.edge.recording.to_messages import decision_message, frame_message
from vedette.errors import ConfigError, MissingDataError, RecordFormatError
from vedette.frames import Frame, Sweep
from vedette.geometry import SE3, PinholeCamera
from vedette.protos.convert import camera_to_proto
from vedette.protos.v1alpha1 import record_pb2
from vedette.telemetry.record.entry import Topic
from vedette.telemetry.record.writer import RecordWriter

TURN = np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]])
CAMERA = PinholeCamera(np.array([[9.0, 0, 5, 0], [0, 9, 5, 0], [0, 0, 1, 0]]), SE3(TURN, np.zeros(3)), 10, 10)


@pytest.fixture
def record(tmp_path):
    """Writes the record of ten frames of which one in three is sent, and says that one in so many was."""

    def write(said_interval):
        path = tmp_path / "moby-interval.mcap"
        settings = Settings.model_validate({"edge": {"offload": {"interval": said_interval}}}).model_dump_json()
        header = record_pb2.RecordHeader(
            schema_version=1, command="replay", policy="moby-interval", source="street", settings_json=settings
        )
        writer = RecordWriter(path)
        log, policy = EntryLog(writer, header), FixedInterval(3)
        log.add(Topic.CALIBRATION, record_pb2.CalibrationRecord(camera=camera_to_proto(CAMERA)), 0)
        for index in range(10):
            sweep = Sweep(np.zeros((1, 4), np.float32), index, index)
            frame = Frame(index, "street", index, CAMERA, sweep, None, None)
            situation = Situation(index, Drift(), {})
            log.add(Topic.FRAMES, frame_message(frame, processed=True), index)
            decided = decision_message(
                frame, policy.plan(frame, index), index, situation, policy.decide(frame, situation)
            )
            log.add(Topic.DECISIONS, decided, index)
        writer.close()
        return path

    return write


def test_all_agree(record, tmp_path) -> None:
    """Exit status 0, and the same as JSON."""
    result = CliRunner().invoke(app, ["replay", f"mcap:{record(3)}", "--json", str(tmp_path / "x.json")])
    assert result.exit_code == 0
    assert "moby-interval on street" in result.stdout
    assert "10 of 10 decisions agree" in result.stdout
    document = json.loads((tmp_path / "x.json").read_text())
    (run,) = document["runs"]
    assert (run["policy"], run["decisions"], run["agreeing"]) == ("moby-interval", 10, 10)
    assert run["first_difference"] is None


def test_some_differ(record) -> None:
    """Sent were 0, 3, 6, 9; with every second it is 0, 2, 4, 6, 8: frames 2, 3, 4, 8, 9 differ. Exit status 1."""
    result = CliRunner().invoke(app, ["replay", f"mcap:{record(2)}"])
    assert result.exit_code == 1
    assert "5 of 10 decisions agree" in result.stdout
    assert "first difference: frame 2: send was False, and is True now" in result.stdout


@pytest.mark.parametrize("option", [("--policy", "moby"), ("--interval", "3"), ("--cloud", "simulated")])
def test_a_record_has_its_own_settings(record, option) -> None:
    """Others would be ignored, and are refused."""
    error = CliRunner().invoke(app, ["replay", f"mcap:{record(3)}", *option]).exception
    assert isinstance(error, ConfigError)
    assert "expected only --json" in str(error)


def test_no_record(tmp_path) -> None:
    """No file, and another one."""
    assert isinstance(CliRunner().invoke(app, ["replay", "mcap:nowhere.mcap"]).exception, MissingDataError)
    other = tmp_path / "notes.txt"
    other.write_text("not a record")
    assert isinstance(CliRunner().invoke(app, ["replay", f"mcap:{other}"]).exception, RecordFormatError)
