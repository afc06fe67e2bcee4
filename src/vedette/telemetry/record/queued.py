"""A writer for runs beside live sensors: a disk that is slow or full costs entries of the record, never a frame."""

from __future__ import annotations

import threading
from collections import deque
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from vedette.errors import RecordWriteError
from vedette.telemetry.record.entry import EntryWriter, RecordEntry

_CAPACITY: Final = 4000
"""Entries that wait for a slow disk: about 40 s at 10 Hz."""
_JOIN_TIMEOUT_S: Final = 5.0


class QueuedWriter:
    """Hands entries to another writer in a thread of its own.

    Args:
        writer: writes them; closed with this one.
        registry: shows how many entries were written and lost, and whether writing has failed.
        capacity: entries that may wait; newer ones are lost and counted.
    """

    def __init__(self, writer: EntryWriter, registry: CollectorRegistry, capacity: int = _CAPACITY) -> None:
        self._writer = writer
        self._capacity = capacity
        self._entries: deque[RecordEntry] = deque()
        self._closing = False
        self._lost = 0
        self._error: RecordWriteError | None = None
        self._changed = threading.Condition()
        self._count = Counter(
            "vedette_record_entries",
            "Entries of the run's record, by what became of them.",
            ["fate"],
            registry=registry,
        )
        self._failed = Gauge("vedette_record_failed", "1 when the record can be written no longer.", registry=registry)
        self._thread = threading.Thread(target=self._write_all, name="record-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Entries that wait for the disk."""
        return len(self._entries)

    def write(self, entry: RecordEntry) -> None:
        """Queue an entry, or count it as lost; returns at once and never fails."""
        with self._changed:
            if self._error is not None or len(self._entries) >= self._capacity:
                self._lose(1)
                return
            self._entries.append(entry)
            self._changed.notify()

    def close(self) -> None:
        """Write out what waits, but not for longer than some seconds.

        Raises:
            RecordWriteError: the disk failed, or was too slow.
        """
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(_JOIN_TIMEOUT_S)
        with self._changed:
            if self._error is not None:
                raise RecordWriteError(f"{self._error}; {self._lost} entries are missing") from self._error
            lost = self._lost + len(self._entries)
        if lost:
            raise RecordWriteError(f"{lost} entries of the record were not written: its disk is too slow")

    def _lose(self, count: int) -> None:
        self._lost += count
        self._count.labels("lost").inc(count)

    def _write_all(self) -> None:
        try:
            while (entry := self._next_entry()) is not None:
                self._writer.write(entry)
                self._count.labels("written").inc()
            self._writer.close()
        except RecordWriteError as error:
            self._give_up(error)

    def _give_up(self, error: RecordWriteError) -> None:
        with self._changed:
            self._error = error
            self._lose(len(self._entries) + 1)
            self._entries.clear()
        self._failed.set(1)
        structlog.get_logger().error("the record ends here; the run goes on", error=str(error))

    def _next_entry(self) -> RecordEntry | None:
        with self._changed:
            self._changed.wait_for(lambda: self._entries or self._closing)
            return self._entries.popleft() if self._entries else None
