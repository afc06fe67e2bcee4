"""What is in the file, when, and what a full disk does."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

from vedette.errors import RecordWriteError
from vedette.telemetry.record.reader import RecordReader
from vedette.telemetry.record.writer import RecordWriter

S = 1_000_000_000


def test_other_programs_read_it_without_our_definitions(record_file, entries) -> None:
    """The public reader finds index, schemas and messages in the file alone, as Foxglove does."""
    with record_file.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        found = [(channel.topic, decoded) for _, channel, _, decoded in reader.iter_decoded_messages()]
    assert {schema.name for schema in summary.schemas.values()} == {
        "vedette.v1alpha1.RecordHeader",
        "vedette.v1alpha1.LossRecord",
    }
    assert summary.statistics.message_count == len(entries) == len(found)
    assert found[7][0] == "/losses"
    assert (found[7][1].frame_index, found[7][1].reason) == (8, "deadline")


def test_all_but_the_last_second_is_in_the_file_while_it_is_written(tmp_path, entries) -> None:
    """Nothing is closed here, as in a process that was killed."""
    path = tmp_path / "run.mcap"
    writer = RecordWriter(path)
    for count, entry in enumerate(entries, start=1):
        writer.write(entry)
        readable = sum(1 for _ in RecordReader(path))
        assert count - 10 <= readable <= count
    writer.close()


def test_entries_out_of_order_do_not_make_a_chunk_each(tmp_path, make_header, make_loss) -> None:
    """Boxes published two seconds after their frame's capture alternate with captures."""
    path = tmp_path / "run.mcap"
    writer = RecordWriter(path)
    writer.write(make_header())
    for frame in range(100):
        writer.write(make_loss(2 + 2 * frame, frame * S // 10))
        writer.write(make_loss(3 + 2 * frame, frame * S // 10 + 2 * S))
    writer.close()
    with path.open("rb") as stream:
        assert make_reader(stream).get_summary().statistics.chunk_count <= 13


def test_the_same_entries_give_the_same_bytes(record_file, tmp_path, entries) -> None:
    """No time of writing and no random number is in the file."""
    again = RecordWriter(tmp_path / "again.mcap")
    for entry in entries:
        again.write(entry)
    again.close()
    assert (tmp_path / "again.mcap").read_bytes() == record_file.read_bytes()


def test_a_folder_that_is_not_there(tmp_path) -> None:
    """The message names the file."""
    with pytest.raises(RecordWriteError, match=r"absent/run\.mcap: No such file"):
        RecordWriter(tmp_path / "absent" / "run.mcap")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's device that is always full")
def test_a_full_disk_is_said_once_and_again_when_written_to(entries) -> None:
    """The first write that reaches the disk fails, later ones at once, and closing does not fail any more."""
    writer = RecordWriter(Path("/dev/full"))
    with pytest.raises(RecordWriteError, match="No space left on device"):
        deque(map(writer.write, entries), maxlen=0)
    with pytest.raises(RecordWriteError, match="has failed before"):
        writer.write(entries[-1])
    writer.close()
