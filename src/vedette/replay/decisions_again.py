"""Asks the policy of a recorded run again, from the record alone, and compares every decision with the recorded one.

    /frames ──► plan ─┐ /decisions ──► decide ──► the same message?
                      └───────────────────┘
    /answers ──► on_answer ──► taken in as recorded?      /losses ──► on_loss

The policy is told exactly what it was told in the run, in that order: drift, times and reviews as they were. So any
difference is the policy's own: other code, or other settings than the record's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import Message
from pydantic import ValidationError

from vedette.config import Settings
from vedette.edge.offload.choice import policy_of
from vedette.edge.offload.policy import OffloadPolicy
from vedette.edge.recording.from_messages import answer_of, frame_of, loss_of, review_of, situation_of
from vedette.edge.recording.to_messages import decision_message
from vedette.errors import ConfigError, RecordCorruptError, RecordFormatError, RecordVersionError
from vedette.frames import Frame
from vedette.protos.convert import camera_from_proto
from vedette.protos.v1alpha1 import record_pb2
from vedette.replay.policies import offload_policy, parse_policies
from vedette.telemetry.record.reader import RecordReader


@dataclass(frozen=True)
class Difference:
    """A decision that came out otherwise.

    Args:
        frame_index: of the frame.
        field: what differs, for example ``reason`` or ``package.view``.
        recorded: as the record has it.
        again: as the policy says now.
    """

    frame_index: int
    field: str
    recorded: str
    again: str

    def __str__(self) -> str:
        return f"frame {self.frame_index}: {self.field} was {self.recorded}, and is {self.again} now"


@dataclass(frozen=True)
class Comparison:
    """What came of asking again.

    Args:
        header: what the record says of its run.
        decisions: in the record, those about frames and those about answers.
        agreeing: of them.
        first_difference: None where all agree.
        complete: whether the record ends as it should; a killed run's does not.
        missing: entries that the record lost.
    """

    header: record_pb2.RecordHeader
    decisions: int
    agreeing: int
    first_difference: Difference | None
    complete: bool
    missing: int


def decide_again(path: Path) -> Comparison:
    """Replay the policy of a record.

    Args:
        path: MCAP file, as ``--record`` writes it; it may end anywhere.

    Raises:
        MissingDataError: no such file.
        RecordError: no record of ours, damaged, of a newer program, or without a decision.
    """
    reader = RecordReader(path)
    header = reader.header()
    rerun = _Rerun(path, header)
    differences = [difference for entry in reader for difference in rerun.take(entry.message)]
    if not differences:
        raise RecordFormatError(f"{path}: holds no decision of {header.policy}; expected at least one to compare")
    found = [difference for difference in differences if difference is not None]
    return Comparison(
        header=header,
        decisions=len(differences),
        agreeing=len(differences) - len(found),
        first_difference=found[0] if found else None,
        complete=reader.complete,
        missing=reader.missing,
    )


class _Rerun:
    """A policy that hears a record."""

    def __init__(self, path: Path, header: record_pb2.RecordHeader) -> None:
        self._path = path
        self._source = header.source
        self._policy = _policy_of(path, header)
        self._calibration: record_pb2.CalibrationRecord | None = None
        self._frame: Frame | None = None

    def take(self, message: Message) -> Iterator[Difference | None]:
        """Tell the policy of an entry; yields for each decision what differs."""
        if isinstance(message, record_pb2.CalibrationRecord):
            self._calibration = message
        elif isinstance(message, record_pb2.FrameRecord):
            self._see(message)
        elif isinstance(message, record_pb2.DecisionRecord):
            yield self._decide(message)
        elif isinstance(message, record_pb2.AnswerRecord):
            taken_in = self._policy.on_answer(answer_of(message), review_of(message))
            same = taken_in == message.taken_in
            yield None if same else _answer_difference(message.frame_index, message.taken_in, taken_in)
        elif isinstance(message, record_pb2.LossRecord):
            self._policy.on_loss(loss_of(message))

    def _see(self, message: record_pb2.FrameRecord) -> None:
        if message.fate == record_pb2.FRAME_FATE_PROCESSED:
            if self._calibration is None:
                raise RecordCorruptError(f"{self._path}: frame {message.frame_index} comes before any calibration")
            self._frame = frame_of(message, self._source, camera_from_proto(self._calibration.camera))

    def _decide(self, message: record_pb2.DecisionRecord) -> Difference | None:
        frame = self._frame
        if frame is None or frame.index != message.frame_index:
            raise RecordCorruptError(f"{self._path}: the decision about frame {message.frame_index} lacks its frame")
        situation = situation_of(message)
        plan = self._policy.plan(frame, message.planned_ns)
        decision = self._policy.decide(frame, situation)
        again = decision_message(frame, plan, message.planned_ns, situation, decision)
        field = _first_differing(message, again)
        return None if field is None else Difference(message.frame_index, *field)


def _policy_of(path: Path, header: record_pb2.RecordHeader) -> OffloadPolicy:
    """The policy as it was before the first frame.

    Raises:
        RecordVersionError: this program has no such policy, or no such settings.
    """
    try:
        offload = Settings.model_validate_json(header.settings_json).edge.offload
        if header.command == "edge run":
            return policy_of(offload, detect3d=False)
        return offload_policy(parse_policies([header.policy])[0], offload)
    except (ConfigError, ValidationError) as error:
        raise RecordVersionError(
            f"{path}: policy {header.policy} of vedette {header.program_version} cannot be made again: {error}"
        ) from error


def _answer_difference(frame_index: int, recorded: bool, again: bool) -> Difference:
    return Difference(frame_index, "the answer's being taken in", str(recorded), str(again))


def _first_differing(recorded: Message, again: Message, prefix: str = "") -> tuple[str, str, str] | None:
    """Name and texts of the first field that two messages of one type differ in."""
    if recorded.SerializeToString(deterministic=True) == again.SerializeToString(deterministic=True):
        return None
    for field in recorded.DESCRIPTOR.fields:
        name, old, new = f"{prefix}{field.name}", getattr(recorded, field.name), getattr(again, field.name)
        if isinstance(old, Message) and recorded.HasField(field.name) and again.HasField(field.name):
            inner = _first_differing(old, new, f"{name}.")
            if inner is not None:
                return inner
        elif _text(recorded, field.name) != _text(again, field.name):
            return name, _text(recorded, field.name), _text(again, field.name)
    return None


def _text(message: Message, name: str) -> str:
    value = getattr(message, name)
    if isinstance(value, Message):
        return " ".join(str(value).split()) if message.HasField(name) else "absent"
    return repr(value)
