"""Publications as lines of JSON."""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from vedette.detections import Detections3D
from vedette.edge.sinks import open_sink
from vedette.edge.sinks.jsonl import JsonlSink, to_line
from vedette.errors import ConfigError, SinkClosedError, SinkError
from vedette.publication import NullSink, Publication

MS = 1_000_000


def publication(frame: int = 3) -> Publication:
    """A propagated cyclist without a known velocity and a car that moves."""
    boxes = np.array([[10.00049, -2, 0.5, 1.8, 0.6, 1.7, -0.123456], [20, 3, -0.8, 3.9, 1.6, 1.5, 3.1]])
    detections = Detections3D(boxes, np.array([0.81239, 1.0]), np.array([5, 0]))
    velocities = np.array([[np.nan, np.nan], [1.23456, -0.5]])
    return Publication(
        frame, 1000 * MS, 1012 * MS, 900 * MS, detections, np.array([-1, 7]), ("predicted", "two-faces"), velocities
    )


def test_line_has_the_documented_keys() -> None:
    """Every value of the schema, worked out by hand."""
    line = to_line(publication())
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    assert json.loads(line) == {
        "schema": "vedette.boxes/1",
        "frame": 3,
        "stamp_ns": 1_000_000_000,
        "publish_ns": 1_012_000_000,
        "latency_ms": 12.0,
        "age_ms": 112.0,
        "own": False,
        "forecast": False,
        "boxes": [
            {
                "class": "cyclist",
                "score": 0.8124,
                "center_m": [10.0, -2.0, 0.5],
                "size_m": [1.8, 0.6, 1.7],
                "yaw_rad": -0.1235,
                "track_id": None,
                "rung": "predicted",
                "velocity_mps": None,
            },
            {
                "class": "car",
                "score": 1.0,
                "center_m": [20.0, 3.0, -0.8],
                "size_m": [3.9, 1.6, 1.5],
                "yaw_rad": 3.1,
                "track_id": 7,
                "rung": "two-faces",
                "velocity_mps": [1.235, -0.5],
            },
        ],
    }


def test_a_forecast_says_so() -> None:
    """Published before the time that it speaks about, its latency is negative, and it is nobody's own."""
    foreseen = dataclasses.replace(publication(), stamp_ns=1100 * MS, forecast=True)
    document = json.loads(to_line(foreseen))
    assert (document["forecast"], document["own"], document["frame"]) == (True, False, 3)
    assert (document["latency_ms"], document["age_ms"]) == (-88.0, 112.0)


def test_nothing_seen() -> None:
    """A publication without boxes is a line too, and of the frame's own data."""
    document = json.loads(to_line(Publication.empty(1, 5, 6, 5)))
    assert (document["boxes"], document["own"]) == ([], True)


def test_file_holds_every_line_in_order(tmp_path: Path) -> None:
    """All lines are there once the sink is closed; an older file is replaced."""
    path = tmp_path / "boxes.jsonl"
    path.write_text("old\n", encoding="utf-8")
    sink = open_sink("jsonl", path)
    for frame in range(200):
        sink.publish(publication(frame))
    sink.close()
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["frame"] for line in lines] == list(range(200))


@pytest.mark.parametrize("out", [None, Path("-")])
def test_standard_output(out: Path | None, capfd: pytest.CaptureFixture[str]) -> None:
    """Without a file, or with -, lines go to standard output, which stays open."""
    sink = open_sink("jsonl", out)
    sink.publish(publication())
    sink.close()
    assert capfd.readouterr().out == to_line(publication())
    os.fstat(1)


class StallingStream(io.StringIO):
    """Takes nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.go = threading.Event(), threading.Event()
        self.text = ""

    def write(self, text: str) -> int:
        self.entered.set()
        assert self.go.wait(20)
        self.text += text
        return len(text)


def test_slow_reader_does_not_stall_the_agent() -> None:
    """With a reader that stalls, the oldest waiting lines are dropped, counted, and told at the end."""
    stream = StallingStream()
    sink = JsonlSink(stream, "pipe", capacity=3)
    sink.publish(publication(0))
    assert stream.entered.wait(20)
    for frame in range(1, 6):
        sink.publish(publication(frame))
    assert sink.dropped == 2
    stream.go.set()
    with pytest.raises(SinkError, match=r"pipe: 2 lines .* too slow"):
        sink.close()
    assert [json.loads(line)["frame"] for line in stream.text.splitlines()] == [0, 3, 4, 5]


class FailingStream(io.StringIO):
    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error


def publish_for_ever(sink: JsonlSink) -> None:
    for frame in itertools.count():
        sink.publish(publication(frame))


@pytest.mark.parametrize(
    ("error", "expected", "message"),
    [
        (BrokenPipeError(32, "Broken pipe"), SinkClosedError, "boxes was closed by its reader"),
        (OSError(28, "No space left on device"), SinkError, "cannot write boxes to boxes: No space left on device"),
    ],
)
def test_stream_that_fails(error: OSError, expected: type[SinkError], message: str) -> None:
    """A reader that has gone and a full disk are told apart, to the agent at a later line and at the end."""
    sink = JsonlSink(FailingStream(error), "boxes")
    with pytest.raises(expected, match=message):
        publish_for_ever(sink)
    with pytest.raises(expected, match=message):
        sink.close()


def test_reader_that_has_gone() -> None:
    """A real pipe whose reading end is closed."""
    reading, writing = os.pipe()
    os.close(reading)
    sink = JsonlSink(os.fdopen(writing, "w", encoding="utf-8"), "pipe")
    sink.publish(publication())
    with pytest.raises(SinkClosedError):
        sink.close()


def test_choice(tmp_path: Path) -> None:
    """Unknown names, a file for nothing, and a file that cannot be written are refused."""
    assert isinstance(open_sink("null", None), NullSink)
    with pytest.raises(ConfigError, match="unknown sink 'mcap'; known are jsonl, null"):
        open_sink("mcap", None)
    with pytest.raises(ConfigError, match="the sink null writes nothing"):
        open_sink("null", tmp_path / "x")
    with pytest.raises(ConfigError, match="No such file or directory"):
        open_sink("jsonl", tmp_path / "none" / "x")
