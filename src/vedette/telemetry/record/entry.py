"""What crosses between a run and its record's file: one message at a time, and the seam that takes it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from google.protobuf.message import Message

from vedette.protos.v1alpha1 import record_pb2

SCHEMA_VERSION: Final = 1
"""Newest schema of a record that this build understands."""


class Topic(StrEnum):
    """Where messages lie in the file; `MESSAGE_OF` has the type of each."""

    RUN = "/run"
    CALIBRATION = "/calibration"
    FRAMES = "/frames"
    STAGES = "/stages"
    DETECTIONS_2D = "/detections2d"
    TRACKS = "/tracks"
    DECISIONS = "/decisions"
    ANSWERS = "/answers"
    LOSSES = "/losses"
    BOXES = "/boxes"
    FORECASTS = "/forecasts"


MESSAGE_OF: Final[dict[Topic, type[Message]]] = {
    Topic.RUN: record_pb2.RecordHeader,
    Topic.CALIBRATION: record_pb2.CalibrationRecord,
    Topic.FRAMES: record_pb2.FrameRecord,
    Topic.STAGES: record_pb2.StagesRecord,
    Topic.DETECTIONS_2D: record_pb2.Detections2DRecord,
    Topic.TRACKS: record_pb2.TracksRecord,
    Topic.DECISIONS: record_pb2.DecisionRecord,
    Topic.ANSWERS: record_pb2.AnswerRecord,
    Topic.LOSSES: record_pb2.LossRecord,
    Topic.BOXES: record_pb2.PublicationRecord,
    Topic.FORECASTS: record_pb2.PublicationRecord,
}


@dataclass(frozen=True)
class RecordEntry:
    """One message.

    Args:
        topic: where it belongs.
        message: of the topic's type; not changed any more.
        at_ns: when it happened, on the run's clock.
        sequence: counts all entries of a run from 1, so that a reader notices those that were lost.
    """

    topic: Topic
    message: Message
    at_ns: int
    sequence: int


class EntryWriter(Protocol):
    """Takes the entries of one run, in order."""

    def write(self, entry: RecordEntry) -> None:
        """Take an entry.

        Raises:
            RecordWriteError: it cannot be written.
        """
        ...

    def close(self) -> None:
        """End the record.

        Raises:
            RecordWriteError: the record is not whole.
        """
        ...
