"""Rotated IoU of 300 x 300 boxes: ours beside shapely, same run, one thread.

Run: `OMP_NUM_THREADS=1 python benchmarks/bench_rotated_iou.py [--boxes N] [--repeats R]`. Shapely is given its best
form: polygons made in one call, vectorised intersection, and an STR-tree to find the pairs whose envelopes meet. Two
scenes: `street` spreads the boxes over 70 m x 80 m, `pile` puts them on top of each other so that most pairs overlap.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import shapely

from vedette.geometry import NDArrayFloat, bev_corners, bev_iou


def make_boxes(count: int, spread: float, seed: int) -> NDArrayFloat:
    """Car-sized boxes at any heading; `spread` 1 fills 70 m x 80 m, less packs them tighter."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform([0.0, -40.0, -1.0], [70.0, 40.0, 0.0], (count, 3)) * [spread, spread, 1.0]
    size = rng.uniform([3.0, 1.5, 1.4], [5.0, 2.0, 1.8], (count, 3))
    return np.column_stack([centre, size, rng.uniform(-np.pi, np.pi, count)])


def shapely_iou(a: NDArrayFloat, b: NDArrayFloat) -> NDArrayFloat:
    """The same (N, M) figures by shapely."""
    polygons_a, polygons_b = shapely.polygons(bev_corners(a)), shapely.polygons(bev_corners(b))
    rows, columns = shapely.STRtree(polygons_b).query(polygons_a)
    shared = shapely.area(shapely.intersection(polygons_a[rows], polygons_b[columns]))
    union = shapely.area(polygons_a)[rows] + shapely.area(polygons_b)[columns] - shared
    iou = np.zeros((len(a), len(b)))
    iou[rows, columns] = shared / union
    return iou


def median_ms(function: Callable[[], object], repeats: int) -> float:
    """Median time of a call, after one to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e3


def main() -> None:
    """Measure and print both scenes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boxes", type=int, default=300, help="boxes on each side")
    parser.add_argument("--repeats", type=int, default=7, help="calls to take the median of")
    args = parser.parse_args()
    for scene, spread in (("street", 1.0), ("pile", 0.05)):
        a, b = make_boxes(args.boxes, spread, seed=1), make_boxes(args.boxes, spread, seed=2)
        ours, theirs = bev_iou(a, b), shapely_iou(a, b)
        ours_ms = median_ms(lambda a=a, b=b: bev_iou(a, b), args.repeats)
        theirs_ms = median_ms(lambda a=a, b=b: shapely_iou(a, b), args.repeats)
        print(
            f"{scene:6s} {args.boxes} x {args.boxes}, {np.count_nonzero(ours)} overlapping: "
            f"vedette {ours_ms:.2f} ms, shapely {shapely.__version__} {theirs_ms:.2f} ms, "
            f"ratio {theirs_ms / ours_ms:.1f}, largest difference {np.abs(ours - theirs).max():.1e}"
        )


if __name__ == "__main__":
    main()
