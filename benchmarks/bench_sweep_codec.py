"""Bytes, bits a point and times of the sweep codecs on real scans.

    python benchmarks/bench_sweep_codec.py kitti-tracking:DIR:0001 kitti-tracking:DIR:0000 [--every 5] [--repeat 5]

For each scan and way of coding, the median CPU time of the repetitions counts; the table shows medians over scans.
Position errors are measured, not taken from the codec's word.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import zstandard
from rich.console import Console
from rich.table import Table

from vedette.codecs.sweep import PolarCodec, RawCodec, SweepCodec, crop_to_camera
from vedette.datasets.source_spec import open_recording
from vedette.frames import Frame, Sweep
from vedette.geometry import PinholeCamera

Result = TypeVar("Result")


@dataclass(frozen=True)
class Way:
    """One row of the table."""

    name: str
    codec: SweepCodec
    crop: bool


@dataclass(frozen=True)
class Measurement:
    """One way on one scan."""

    points: int
    size_bytes: int
    crop_ms: float
    encode_ms: float
    decode_ms: float
    error_m: float


WAYS = (
    Way("raw", RawCodec(), crop=False),
    Way("polar 1/256 m", PolarCodec(8), crop=False),
    Way("polar 1/128 m (default)", PolarCodec(), crop=False),
    Way("polar 1/64 m", PolarCodec(6), crop=False),
    Way("raw, camera view", RawCodec(), crop=True),
    Way("polar 1/128 m, camera view (default)", PolarCodec(), crop=True),
)


def timed(work: Callable[[], Result], repeat: int) -> tuple[Result, float]:
    """The result, and the median CPU time in milliseconds; everything here runs in one thread."""
    times_ms = []
    for _ in range(repeat):
        started = time.thread_time()
        result = work()
        times_ms.append((time.thread_time() - started) * 1e3)
    return result, float(np.median(times_ms))


def measure(way: Way, sweep: Sweep, camera: PinholeCamera, repeat: int) -> Measurement:
    """Code one scan one way."""
    sent, crop_ms = timed(lambda: crop_to_camera(sweep, camera), repeat) if way.crop else (sweep, 0.0)
    encoded, encode_ms = timed(lambda: way.codec.encode(sent), repeat)
    decoded, decode_ms = timed(lambda: way.codec.decode(encoded), repeat)
    error_m = float(np.abs(decoded[:, :3].astype(np.float64) - sent.points_velo[:, :3]).max())
    return Measurement(len(sent), len(encoded.data), crop_ms, encode_ms, decode_ms, error_m)


def frames_of(specs: Sequence[str], every: int) -> Iterator[Frame]:
    """Every n-th frame that has a sweep."""
    for spec in specs:
        for item in list(open_recording(spec))[::every]:
            if isinstance(item, Frame) and item.sweep is not None:
                yield item


def float_zstd_bytes(sweep: Sweep) -> int:
    """What a general codec makes of the floats, for comparison."""
    return len(zstandard.ZstdCompressor(level=1).compress(RawCodec().encode(sweep).data))


def row(way: Way, measured: Sequence[Measurement]) -> list[str]:
    """Medians as text."""
    points, size_bytes, crop_ms, encode_ms, decode_ms, _ = np.median(
        [(m.points, m.size_bytes, m.crop_ms, m.encode_ms, m.decode_ms, 0.0) for m in measured], axis=0
    )
    bits = float(np.median([8 * m.size_bytes / m.points for m in measured]))
    error_mm = 1e3 * max(m.error_m for m in measured)
    bound_mm = 1e3 * way.codec.max_position_error_m
    return [
        way.name,
        f"{points:,.0f}",
        f"{size_bytes:,.0f}",
        f"{bits:.1f}",
        f"{crop_ms:.1f}" if way.crop else "-",
        f"{encode_ms:.1f}",
        f"{decode_ms:.1f}",
        f"{error_mm:.2f} / {bound_mm:.2f}",
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", help="for example kitti-tracking:DIR:0001")
    parser.add_argument("--every", type=int, default=5, help="take every n-th frame")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions per scan; the median counts")
    options = parser.parse_args()
    frames = list(frames_of(options.sources, options.every))
    table = Table(title=f"{len(frames)} scans; medians")
    columns = ("codec", "points", "bytes", "bits/point", "crop ms", "encode ms", "decode ms", "error / bound mm")
    for column in columns:
        table.add_column(column, justify="left" if column == "codec" else "right")
    for way in WAYS:
        table.add_row(*row(way, [measure(way, f.sweep, f.camera, options.repeat) for f in frames if f.sweep]))
    console = Console(width=130)
    console.print(table)
    floats = np.median([8 * float_zstd_bytes(f.sweep) / len(f.sweep) for f in frames if f.sweep])
    console.print(f"for comparison, zstd-1 on the floats as they are: {floats:.1f} bits/point")


if __name__ == "__main__":
    main()
