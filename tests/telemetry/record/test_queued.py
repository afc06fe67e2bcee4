"""A disk that is slow, full, or both costs entries and never the caller."""

from __future__ import annotations

import threading

import pytest
from prometheus_client import CollectorRegistry

from vedette.errors import RecordWriteError
from vedette.telemetry.record.queued import QueuedWriter


class SlowDisk:
    """Writes nothing before it is allowed to; fails after so many entries."""

    def __init__(self, room=1000, open_at_once=True) -> None:
        self.taken: list[int] = []
        self.closed = False
        self.may_write = threading.Event()
        self._room = room
        if open_at_once:
            self.may_write.set()

    def write(self, entry) -> None:
        assert self.may_write.wait(30)
        assert not self.closed
        if len(self.taken) == self._room:
            raise RecordWriteError("cannot write the record run.mcap: No space left on device")
        self.taken.append(entry.sequence)

    def close(self) -> None:
        assert not self.closed
        self.closed = True


def count(registry, fate):
    return registry.get_sample_value("vedette_record_entries_total", {"fate": fate}) or 0.0


def test_everything_is_written_in_order(entries) -> None:
    """And the writer is closed after it."""
    disk, registry = SlowDisk(), CollectorRegistry()
    queued = QueuedWriter(disk, registry)
    for entry in entries:
        queued.write(entry)
    queued.close()
    assert disk.taken == [entry.sequence for entry in entries]
    assert disk.closed
    assert (count(registry, "written"), count(registry, "lost")) == (100.0, 0.0)


def test_a_stalled_disk_loses_the_newest_and_says_so(entries) -> None:
    """One is in hand, ten wait; the other 89 are lost, none of which waited for the disk."""
    disk, registry = SlowDisk(open_at_once=False), CollectorRegistry()
    queued = QueuedWriter(disk, registry, capacity=10)
    queued.write(entries[0])
    while queued.waiting:
        threading.Event().wait(0.001)
    for entry in entries[1:]:
        queued.write(entry)
    assert count(registry, "lost") == 89.0
    disk.may_write.set()
    with pytest.raises(RecordWriteError, match=r"89 entries of the record were not written: its disk is too slow"):
        queued.close()
    assert disk.taken == [entry.sequence for entry in entries[:11]]


def test_a_full_disk_ends_the_record_and_not_the_run(entries) -> None:
    """Writing goes on returning at once; the error comes at the end, with what is missing."""
    disk, registry = SlowDisk(room=20), CollectorRegistry()
    queued = QueuedWriter(disk, registry)
    for entry in entries:
        queued.write(entry)
    with pytest.raises(RecordWriteError, match=r"No space left on device; 80 entries are missing"):
        queued.close()
    assert (count(registry, "written"), count(registry, "lost")) == (20.0, 80.0)
    assert registry.get_sample_value("vedette_record_failed") == 1.0
