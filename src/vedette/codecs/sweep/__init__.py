"""Sweep codecs: what a LiDAR sweep looks like on the wire.

>>> encoded = sweep_codec("polar").encode(sweep)
>>> decode_sweep(encoded, sweep.start_ns, sweep.end_ns)
"""

from vedette.codecs.sweep.blob import EncodedSweep, SweepCodec
from vedette.codecs.sweep.choice import SWEEP_CODEC_NAMES, decode_sweep, sweep_codec
from vedette.codecs.sweep.crop import crop_to_camera
from vedette.codecs.sweep.polar import PolarCodec
from vedette.codecs.sweep.raw import RawCodec

__all__ = [
    "SWEEP_CODEC_NAMES",
    "EncodedSweep",
    "PolarCodec",
    "RawCodec",
    "SweepCodec",
    "crop_to_camera",
    "decode_sweep",
    "sweep_codec",
]
