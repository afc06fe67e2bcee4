"""Numbers the entries of a run and hands them to their writer."""

from __future__ import annotations

from google.protobuf.message import Message

from vedette.protos.v1alpha1 import record_pb2
from vedette.telemetry.record.entry import EntryWriter, RecordEntry, Topic


class EntryLog:
    """The entries of one run, from one thread.

    Args:
        writer: takes them.
        header: goes first, with the time of the first entry.
    """

    def __init__(self, writer: EntryWriter, header: record_pb2.RecordHeader) -> None:
        self._writer = writer
        self._header = header
        self._count = 0

    def add(self, topic: Topic, message: Message, at_ns: int) -> None:
        """Hand on one message.

        Args:
            topic: where it belongs.
            message: not changed any more.
            at_ns: when it happened, on the run's clock.

        Raises:
            RecordWriteError: it cannot be written.
        """
        if self._count == 0:
            self._write(Topic.RUN, self._header, at_ns)
        self._write(topic, message, at_ns)

    def _write(self, topic: Topic, message: Message, at_ns: int) -> None:
        self._count += 1
        self._writer.write(RecordEntry(topic, message, at_ns, self._count))
