"""Every exception that vedette raises on purpose, by cause.

A message says what was met, where (file, line, frame), and what would be right. The mapping to gRPC status codes lives
in one place, `vedette.protos.status`.
"""

from __future__ import annotations

from pathlib import Path


class VedetteError(Exception):
    """Base of everything that vedette raises on purpose; its text is meant for the user."""


class ConfigError(VedetteError):
    """A setting, flag or source name is unknown, malformed or contradicts another."""


class MissingPackageError(VedetteError):
    """An optional package is not installed, or cannot be loaded.

    Args:
        package: as imported.
        extra: the extra of vedette that brings it.
        needed_for: what cannot be done without it.
        error: what the import said.
    """

    def __init__(self, package: str, *, extra: str, needed_for: str, error: ImportError) -> None:
        super().__init__(
            f"{needed_for} needs the package {package}, which cannot be imported ({error}): install it with"
            f" pip install 'vedette[{extra}]'"
        )


class DataError(VedetteError):
    """A data file or frame cannot be used."""


class FileFormatError(DataError):
    """A file does not hold what its place in the layout says it should.

    Args:
        path: the file.
        met: what stands there.
        expected: what would be right.
        line: 1-based line number, where the file has lines.
    """

    def __init__(self, path: Path | str, *, met: str, expected: str, line: int | None = None) -> None:
        self.path = Path(path)
        self.met = met
        self.expected = expected
        self.line = line
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{where}: {met}; expected {expected}")


class MissingDataError(DataError):
    """A file or folder that a source needs is not there."""


class InvalidFrameError(DataError):
    """One frame's content is unusable (truncated, empty, not finite, wrong size); the stream goes on without it."""


class SensorSilentError(DataError):
    """A live sensor has stopped to deliver."""


class SinkError(VedetteError):
    """Publications cannot be written."""


class SinkClosedError(SinkError):
    """Whoever read the publications has gone."""


class RecordError(VedetteError):
    """The record of a run cannot be written or used."""


class RecordWriteError(RecordError):
    """The record cannot be written, or is not whole: the disk is full or too slow."""


class RecordFormatError(RecordError):
    """A file is not the record of a run."""


class RecordCorruptError(RecordError):
    """A record holds bytes that were not written so; a cut end is no such case."""


class RecordVersionError(RecordError):
    """A record needs a newer program, or holds what this one no longer has."""


class CodecError(VedetteError):
    """An encoded sweep or image cannot be decoded, or an input cannot be encoded."""


class UnknownCodecError(CodecError):
    """The codec's name or version is not one this build has."""


class CorruptBlobError(CodecError):
    """The encoded bytes are truncated or inconsistent."""


class ModelError(VedetteError):
    """A model cannot be used."""


class UnknownModelError(ModelError):
    """No model of that name (and version) in the model folders."""


class ModelCardError(ModelError):
    """The card beside a model is missing, malformed, or of a kind this build does not understand."""


class ModelHashError(ModelError):
    """The model file's SHA-256 is not the one on its card."""


class ModelLoadError(ModelError):
    """The runtime refuses the model file, or its inputs and outputs are not what the card says."""


class ModelInputError(ModelError):
    """An input has a shape, dtype or value that the model does not take."""


class WireError(VedetteError):
    """A message on the wire cannot be accepted."""


class InvalidMessageError(WireError):
    """A field of a message is missing, contradictory or out of range."""


class MessageTooLargeError(WireError):
    """A message is over the size limit; refused before sending, and again on arrival."""


class SchemaVersionError(WireError):
    """The peer speaks a newer schema than this build understands."""


class UnsupportedError(WireError):
    """The peer does not offer what was asked for."""


class LinkError(VedetteError):
    """An offload did not come back with an answer."""


class LinkUnavailableError(LinkError):
    """The peer cannot be reached."""


class DeadlineError(LinkError):
    """The remaining budget ran out before, or while, the work was done."""


class ImplausibleAnswerError(LinkError):
    """An answer contradicts the sweep that it speaks about."""


class OverloadedError(LinkError):
    """The peer refused the work because its queue is full."""


class RemoteError(LinkError):
    """The peer failed in a way that is not the caller's fault."""
