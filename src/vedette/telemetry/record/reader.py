"""Reads a record's file from its beginning, as far as it goes: also while it grows, and when its run was killed."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import zstandard
from google.protobuf.message import DecodeError, Message
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk
from mcap.records import Message as McapMessage
from mcap.stream_reader import breakup_chunk

from vedette.errors import RecordCorruptError, RecordFormatError, RecordVersionError
from vedette.protos.v1alpha1 import record_pb2
from vedette.telemetry.record.entry import MESSAGE_OF, SCHEMA_VERSION, RecordEntry, Topic
from vedette.telemetry.record.framing import McapBlocks


class RecordReader:
    """The entries of a file.

    Args:
        path: of the file.

    Attributes:
        missing: after iterating, entries that the run made and the file does not hold; those after its end not counted.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._blocks = McapBlocks(path)
        self.missing = 0

    @property
    def complete(self) -> bool:
        """After iterating, whether the file ends as it should; a killed run's does not."""
        return self._blocks.complete

    def header(self) -> record_pb2.RecordHeader:
        """What the file says of its run.

        Raises:
            RecordFormatError: it does not begin with that.
            RecordVersionError: it needs a newer program.
        """
        first = next(iter(self), None)
        if first is None or not isinstance(first.message, record_pb2.RecordHeader):
            met = "nothing" if first is None else str(first.topic)
            raise RecordFormatError(f"{self._path}: begins with {met}; expected {Topic.RUN}, as --record writes it")
        if first.message.schema_version > SCHEMA_VERSION:
            raise RecordVersionError(
                f"{self._path}: schema {first.message.schema_version}, written by vedette"
                f" {first.message.program_version}; this one understands up to {SCHEMA_VERSION}"
            )
        return first.message

    def __iter__(self) -> Iterator[RecordEntry]:
        """The entries in the order in which they were written; those of topics that are not ours are left out.

        Raises:
            MissingDataError: no such file, or it cannot be read.
            RecordFormatError: the file is no MCAP file.
            RecordCorruptError: something in it was not written so.
        """
        topics: dict[int, Topic] = {}
        last_sequence = self.missing = 0
        for record, offset in self._records():
            if isinstance(record, Channel):
                if record.topic in set(Topic):
                    topics[record.id] = Topic(record.topic)
                continue
            if record.channel_id in topics:
                entry = self._entry(topics[record.channel_id], record, offset)
                self.missing += max(0, entry.sequence - last_sequence - 1)
                last_sequence = entry.sequence
                yield entry

    def _records(self) -> Iterator[tuple[Channel | McapMessage, int]]:
        """What the chunks hold; messages outside of chunks are not ours."""
        for opcode, content, offset in self._blocks:
            if opcode != Opcode.CHUNK:
                continue
            yield from ((record, offset) for record in self._opened(content, offset))

    def _opened(self, content: bytes, offset: int) -> list[Channel | McapMessage]:
        try:
            records = breakup_chunk(Chunk.read(ReadDataStream(BytesIO(content))), validate_crc=True)
        except (McapError, zstandard.ZstdError, struct.error, ValueError) as error:
            raise self._corrupt(offset, str(error)) from error
        return [record for record in records if isinstance(record, Channel | McapMessage)]

    def _entry(self, topic: Topic, record: McapMessage, offset: int) -> RecordEntry:
        message: Message = MESSAGE_OF[topic]()
        try:
            message.ParseFromString(record.data)
        except DecodeError as error:
            raise self._corrupt(offset, f"no {message.DESCRIPTOR.name} on {topic}") from error
        return RecordEntry(topic, message, record.log_time, record.sequence)

    def _corrupt(self, offset: int, met: str) -> RecordCorruptError:
        return RecordCorruptError(
            f"{self._path}: the chunk at byte {offset} is damaged ({met}); expected it as written"
        )
