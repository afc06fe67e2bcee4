"""The outer layer of an MCAP file: one length-prefixed record after the other, as far as the file is whole.

``magic, (opcode u8, length u64, content)*, magic``, little-endian (https://mcap.dev/spec). A run that was killed leaves
a file that ends anywhere; a machine that lost power may leave zeros where its last bytes never reached the disk.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from mcap.opcode import Opcode

from vedette.errors import MissingDataError, RecordCorruptError, RecordFormatError

_MAGIC: Final = b"\x89MCAP0\r\n"
_PREFIX: Final = struct.Struct("<BQ")
_MAX_LENGTH: Final = 64 * 1024 * 1024
"""Far above what our writer makes of a chunk; a greater length is no length."""


class McapBlocks:
    """The blocks of a file in order.

    Args:
        path: of the file.

    Attributes:
        complete: after iterating, whether the file ends as it should.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.complete = False

    def __iter__(self) -> Iterator[tuple[int, bytes, int]]:
        """Opcode, content and offset in the file of each block that is wholly there.

        Raises:
            MissingDataError: no such file, or it cannot be read.
            RecordFormatError: the file is no MCAP file.
            RecordCorruptError: a block has an impossible length.
        """
        self.complete = False
        try:
            with self._path.open("rb") as stream:
                yield from self._blocks(stream)
        except OSError as error:
            raise MissingDataError(f"cannot read the record {self._path}: {error.strerror}") from error

    def _blocks(self, stream: BinaryIO) -> Iterator[tuple[int, bytes, int]]:
        magic = stream.read(len(_MAGIC))
        if magic != _MAGIC[: len(magic)]:
            raise RecordFormatError(
                f"{self._path}: begins with {magic!r}; expected an MCAP file, as --record writes it"
            )
        while len(prefix := stream.read(_PREFIX.size)) == _PREFIX.size:
            opcode, length = _PREFIX.unpack(prefix)
            if opcode == 0:
                return
            offset = stream.tell()
            if length > _MAX_LENGTH:
                raise RecordCorruptError(
                    f"{self._path}: block of {length} bytes at byte {offset}; expected at most {_MAX_LENGTH}"
                )
            content = stream.read(length)
            if len(content) < length:
                return
            yield opcode, content, offset
            if opcode == Opcode.FOOTER:
                self.complete = stream.read(len(_MAGIC)) == _MAGIC
                return
