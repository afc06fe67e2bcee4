"""Writes a record's file, so that a killed run leaves all but its last second readable.

Messages are gathered in chunks, compressed one by one. A chunk is written out when its messages span a second of the
run's clock, or when it has grown large; what is in the file then stands on its own.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from mcap.well_known import MessageEncoding
from mcap.writer import CompressionType, Writer
from mcap_protobuf.schema import register_schema

from vedette import __version__
from vedette.errors import RecordWriteError
from vedette.telemetry.record.entry import MESSAGE_OF, RecordEntry, Topic

_CHUNK_BYTES: Final = 256 * 1024
_CHUNK_NS: Final = 1_000_000_000


class RecordWriter:
    """The file of one run, written in the caller's thread.

    Args:
        path: replaced where it exists.

    Raises:
        RecordWriteError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._latest_ns: int | None = None
        self._flushed_ns = 0
        self._failed = False
        try:
            self._stream = path.open("wb")
        except OSError as error:
            raise self._error(error) from error
        self._writer = Writer(self._stream, chunk_size=_CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._channels: dict[Topic, int] = {}
        self._writer.start(profile="", library=f"vedette {__version__}")

    def write(self, entry: RecordEntry) -> None:
        """Add an entry to the chunk in progress, and finish that where it is due.

        Raises:
            RecordWriteError: the disk is full, say; the file keeps what it holds, and nothing more is written.
        """
        if self._failed:
            raise RecordWriteError(f"the record {self._path} has failed before; nothing more can be written")
        try:
            self._writer.add_message(
                self._channel(entry.topic),
                log_time=entry.at_ns,
                data=entry.message.SerializeToString(deterministic=True),
                publish_time=entry.at_ns,
                sequence=entry.sequence,
            )
            self._flush_in_time(entry.at_ns)
        except OSError as error:
            self._abandon()
            raise self._error(error) from error

    def close(self) -> None:
        """Write the rest and the index, which viewers need to jump about.

        Raises:
            RecordWriteError: they cannot be written.
        """
        if self._failed:
            return
        try:
            self._writer.finish()
            self._stream.close()
        except OSError as error:
            self._abandon()
            raise self._error(error) from error

    def _flush_in_time(self, at_ns: int) -> None:
        # entries are not quite in order of time: a frame's boxes come long after its capture, and the next capture then
        if self._latest_ns is None:
            self._latest_ns = self._flushed_ns = at_ns
        self._latest_ns = max(self._latest_ns, at_ns)
        if self._latest_ns - self._flushed_ns >= _CHUNK_NS:
            self._flushed_ns = self._latest_ns
            self._writer.flush()

    def _channel(self, topic: Topic) -> int:
        if topic not in self._channels:
            schema = register_schema(self._writer, MESSAGE_OF[topic])
            self._channels[topic] = self._writer.register_channel(topic, MessageEncoding.Protobuf, schema)
        return self._channels[topic]

    def _abandon(self) -> None:
        self._failed = True
        with suppress(OSError):  # closing tries once more to write what did not fit
            self._stream.close()

    def _error(self, error: OSError) -> RecordWriteError:
        return RecordWriteError(f"cannot write the record {self._path}: {error.strerror}")
