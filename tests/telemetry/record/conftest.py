"""Small records to write and to damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.protos.v1alpha1 import record_pb2
from vedette.telemetry.record.entry import RecordEntry, Topic
from vedette.telemetry.record.writer import RecordWriter

S = 1_000_000_000


def header_entry(version: int = 1) -> RecordEntry:
    """The first entry of every record."""
    message = record_pb2.RecordHeader(schema_version=version, program_version="9.9", policy="moby")
    return RecordEntry(Topic.RUN, message, 0, 1)


def loss_entry(sequence: int, at_ns: int) -> RecordEntry:
    """Any other entry; its frame's number is the sequence."""
    loss = record_pb2.LossRecord(frame_index=sequence, at_ns=at_ns, reason="deadline", detail="x" * (sequence % 50))
    return RecordEntry(Topic.LOSSES, loss, at_ns, sequence)


@pytest.fixture
def entries() -> list[RecordEntry]:
    """Ten seconds, ten entries each."""
    return [header_entry(), *(loss_entry(sequence, (sequence - 1) * S // 10) for sequence in range(2, 101))]


@pytest.fixture
def record_file(tmp_path: Path, entries: list[RecordEntry]) -> Path:
    """A whole record of them."""
    path = tmp_path / "run.mcap"
    writer = RecordWriter(path)
    for entry in entries:
        writer.write(entry)
    writer.close()
    return path


@pytest.fixture
def make_header():
    """Makes first entries."""
    return header_entry


@pytest.fixture
def make_loss():
    """Makes other entries."""
    return loss_entry
