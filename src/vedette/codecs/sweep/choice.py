"""Picking a sweep codec by its name."""

from __future__ import annotations

from typing import Final

from vedette.codecs.sweep.blob import EncodedSweep, SweepCodec
from vedette.codecs.sweep.polar import PolarCodec
from vedette.codecs.sweep.raw import RawCodec
from vedette.errors import UnknownCodecError
from vedette.frames import Sweep

SWEEP_CODEC_NAMES: Final = ("polar", "raw")
"""What `sweep_codec` takes."""


def sweep_codec(name: str) -> SweepCodec:
    """The codec of a name, with its default parameters.

    Args:
        name: ``polar`` (quantised, small) or ``raw`` (exact, eleven times as large).

    Raises:
        UnknownCodecError: there is none of that name.
    """
    if name == "polar":
        return PolarCodec()
    if name == "raw":
        return RawCodec()
    raise UnknownCodecError(f"unknown sweep codec {name!r}; expected one of {', '.join(SWEEP_CODEC_NAMES)}")


def decode_sweep(encoded: EncodedSweep, start_ns: int, end_ns: int) -> Sweep:
    """Read a sweep with the codec it names.

    Args:
        encoded: of any known codec and version.
        start_ns: time of the first return, UTC nanoseconds.
        end_ns: time of the last return.

    Raises:
        UnknownCodecError: the codec, or that version of it, is not one this build has.
        CorruptBlobError: the blob is truncated, damaged, or not of the size that its point count asks for.
        InvalidFrameError: the points or times are not those of a sweep.
    """
    codec = sweep_codec(encoded.codec)
    if encoded.version != codec.version:
        raise UnknownCodecError(
            f"sweep codec {encoded.codec} has version {encoded.version}; this build reads version {codec.version}"
        )
    return Sweep(codec.decode(encoded), start_ns, end_ns)
