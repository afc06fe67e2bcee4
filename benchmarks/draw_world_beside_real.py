"""Pictures of the generated world beside real ones, and sweeps seen from above: to be looked at, not to be committed.

    python benchmarks/draw_world_beside_real.py kitti-tracking:build/kitti:0000 synth:town:1:0-99 --out build/beside.png

Each row holds one frame of the first recording at the left and one of the second at the right, spread evenly over both.
Real recordings have their own licence: what is drawn from them stays on the machine.
"""

from __future__ import annotations

import argparse
from contextlib import closing
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from vedette.datasets.source_spec import open_recording
from vedette.frames import Frame
from vedette.geometry import NDArrayUInt8
from vedette.replay.report.pictures import render_bev

WIDTH_PX = 900


def main() -> None:
    """Draw and save one large picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("left")
    parser.add_argument("right")
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    columns = [np.concatenate(drawn(source, arguments.rows)) for source in (arguments.left, arguments.right)]
    height_px = min(len(column) for column in columns)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(arguments.out), np.concatenate([column[:height_px] for column in columns], axis=1))
    print(arguments.out)


def drawn(source: str, count: int) -> list[NDArrayUInt8]:
    """Some frames of a recording, each its picture above its sweep.

    Args:
        source: name of the recording.
        count: how many, spread evenly.
    """
    with closing(open_recording(source)) as recording:
        every = max(1, (recording.frame_count or count) // count)
        frames = (item for item in islice(recording, 0, None, every) if isinstance(item, Frame))
        return [_drawn(frame) for frame in islice(frames, count)]


def _drawn(frame: Frame) -> NDArrayUInt8:
    image = np.zeros((1, 3, 3), np.uint8) if frame.image is None else frame.image.pixels_bgr
    above = np.full((1, 1), 255, np.uint8) if frame.sweep is None else render_bev(frame.sweep.points_velo)
    parts = [image, cv2.cvtColor(above, cv2.COLOR_GRAY2BGR)]
    sized = [cv2.resize(part, (WIDTH_PX, round(len(part) * WIDTH_PX / part.shape[1]))) for part in parts]
    return np.concatenate(sized).astype(np.uint8)


if __name__ == "__main__":
    main()
