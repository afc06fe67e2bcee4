"""Records that are whole, cut anywhere, damaged, or none."""

from __future__ import annotations

import struct

import pytest

from vedette.errors import MissingDataError, RecordCorruptError, RecordError, RecordFormatError, RecordVersionError
from vedette.telemetry.record.framing import McapBlocks
from vedette.telemetry.record.reader import RecordReader
from vedette.telemetry.record.writer import RecordWriter

CHUNK = 6


def test_everything_comes_back(record_file, entries) -> None:
    """Topics, messages, times, numbers, in order."""
    reader = RecordReader(record_file)
    assert list(reader) == entries
    assert reader.complete
    assert reader.missing == 0
    assert reader.header().policy == "moby"


def test_a_file_cut_anywhere_yields_every_intact_chunk(record_file, tmp_path, entries) -> None:
    """At every seventh byte, and each of the last: all that whole chunks hold, no more."""
    data = record_file.read_bytes()
    ends = [offset + len(content) for opcode, content, offset in McapBlocks(record_file) if opcode == CHUNK]
    counts = entries_by_chunk(record_file)
    assert len(ends) == len(counts) == 10
    cut = tmp_path / "cut.mcap"
    for length in sorted({*range(0, len(data), 7), *range(len(data) - 40, len(data))}):
        cut.write_bytes(data[:length])
        reader = RecordReader(cut)
        whole = sum(count for end, count in zip(ends, counts, strict=True) if end <= length)
        assert list(reader) == entries[:whole]
        assert not reader.complete


def entries_by_chunk(path) -> list[int]:
    """How many entries each chunk holds, by how the count grows with the file."""
    data = path.read_bytes()
    counts = []
    for opcode, content, offset in McapBlocks(path):
        if opcode == CHUNK:
            part = path.with_suffix(".part")
            part.write_bytes(data[: offset + len(content)])
            counts.append(sum(1 for _ in RecordReader(part)) - sum(counts))
    return counts


def test_zeros_after_a_power_cut_are_an_end(record_file, tmp_path, entries) -> None:
    """A file system may have given the file its length and not its content."""
    data = record_file.read_bytes()
    end = next(offset + len(content) for opcode, content, offset in McapBlocks(record_file) if opcode == CHUNK)
    path = tmp_path / "zeros.mcap"
    path.write_bytes(data[:end] + bytes(5000))
    reader = RecordReader(path)
    found = list(reader)
    assert found == entries[: len(found)]
    assert len(found) == entries_by_chunk(record_file)[0]
    assert not reader.complete


def test_a_flipped_bit_is_an_error_or_changes_nothing(record_file, tmp_path, entries) -> None:
    """Wherever it is: never another entry, never another exception than ours."""
    data = record_file.read_bytes()
    path = tmp_path / "flipped.mcap"
    refused, known = 0, {str(entry) for entry in entries}
    for place in range(0, len(data), 31):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        found = []
        try:
            found.extend(RecordReader(path))
        except RecordError:
            refused += 1
        assert all(str(entry) in known for entry in found)
    assert refused > 50


def test_a_damaged_chunk_is_named(record_file, tmp_path) -> None:
    """With the place in the file."""
    data = bytearray(record_file.read_bytes())
    offset, content = next((offset, content) for opcode, content, offset in McapBlocks(record_file) if opcode == CHUNK)
    data[offset + len(content) - 40] ^= 0xFF
    path = tmp_path / "damaged.mcap"
    path.write_bytes(bytes(data))
    with pytest.raises(RecordCorruptError, match=rf"damaged\.mcap: the chunk at byte {offset} is damaged"):
        list(RecordReader(path))


def test_an_impossible_length_is_refused_without_reading_it(record_file, tmp_path) -> None:
    """A terabyte is not asked for."""
    path = tmp_path / "long.mcap"
    path.write_bytes(record_file.read_bytes()[:8] + struct.pack("<BQ", CHUNK, 2**40))
    with pytest.raises(RecordCorruptError, match="block of 1099511627776 bytes"):
        list(RecordReader(path))


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (None, MissingDataError, "No such file"),
        (b"", RecordFormatError, "begins with nothing; expected /run"),
        (b"Not MCAP at all", RecordFormatError, "expected an MCAP file"),
    ],
)
def test_files_that_are_no_records(tmp_path, content, kind, message) -> None:
    """Each is told apart."""
    path = tmp_path / "x.mcap"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(kind, match=message):
        RecordReader(path).header()


def test_a_record_without_a_header(tmp_path, make_loss) -> None:
    """An MCAP file of somebody else's making."""
    path = tmp_path / "x.mcap"
    writer = RecordWriter(path)
    writer.write(make_loss(1, 0))
    writer.close()
    with pytest.raises(RecordFormatError, match="begins with /losses; expected /run"):
        RecordReader(path).header()


def test_a_newer_schema(tmp_path, make_header) -> None:
    """The message names the program that wrote it."""
    path = tmp_path / "x.mcap"
    writer = RecordWriter(path)
    writer.write(make_header(version=2))
    writer.close()
    with pytest.raises(RecordVersionError, match=r"schema 2, written by vedette 9\.9; this one understands up to 1"):
        RecordReader(path).header()


def test_lost_entries_are_counted(tmp_path, make_header, make_loss) -> None:
    """Numbers 2, 3, 4 and 7 never came."""
    path = tmp_path / "x.mcap"
    writer = RecordWriter(path)
    for entry in (make_header(), make_loss(5, 0), make_loss(6, 0), make_loss(8, 0)):
        writer.write(entry)
    writer.close()
    reader = RecordReader(path)
    assert [entry.sequence for entry in reader] == [1, 5, 6, 8]
    assert reader.missing == 4
