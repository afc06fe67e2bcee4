"""Intervals of F1 over recordings: blocks of consecutive frames are drawn, and their counts pooled.

Definition: consecutive frames show the same objects, so blocks of `BLOCK_FRAMES` are drawn and not frames (the block
bootstrap of Künsch, "The jackknife and the bootstrap for general stationary observations", 1989, with blocks that do
not overlap): of each group of recordings as many blocks as it has, with replacement, so that every draw has the groups
in their shares. F1 is that of all counts drawn; the middle 95 % of the draws are the interval. A difference of two
methods is taken draw by draw over the same blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from vedette.evaluation.bootstrap import INTERVAL
from vedette.geometry import NDArrayFloat, NDArrayInt

BLOCK_FRAMES: Final = 50
"""Five seconds at ten frames a second; the last block of a recording may be shorter."""
RESAMPLES: Final = 2000


def block_sums(by_frame: NDArrayInt, block_frames: int = BLOCK_FRAMES) -> NDArrayInt:
    """Add up the counts of each block.

    Args:
        by_frame: ``(F,3) int64`` true positives, false positives, false negatives of each frame of one recording.
        block_frames: frames of a block, at least 1.

    Returns:
        ``(B,3) int64``; no blocks where there are no frames.
    """
    if len(by_frame) == 0:
        return by_frame
    sums: NDArrayInt = np.add.reduceat(by_frame, np.arange(0, len(by_frame), block_frames), axis=0)
    return sums


def f1_of(counts: NDArrayInt) -> NDArrayFloat:
    """F1 of counts, 0 to 100; NaN where no label counts.

    Args:
        counts: ``(...,3) int64`` true positives, false positives, false negatives.

    Returns:
        ``(...) float64``.
    """
    found, wrong, missed = counts[..., 0], counts[..., 1], counts[..., 2]
    f1: NDArrayFloat = np.where(found + missed > 0, 200.0 * found / np.maximum(2 * found + wrong + missed, 1), np.nan)
    return f1


def draw_blocks(block_counts: Mapping[str, int], resamples: int = RESAMPLES, seed: int = 0) -> dict[str, NDArrayInt]:
    """How often each block is drawn.

    Args:
        block_counts: blocks of each group, at least 1.
        resamples: how many draws.
        seed: of the draws.

    Returns:
        By group ``(resamples, blocks) int64``; every row adds up to the group's blocks.
    """
    rng = np.random.default_rng(seed)
    return {
        group: rng.multinomial(count, np.full(count, 1.0 / count), size=resamples)
        for group, count in sorted(block_counts.items())
    }


def resampled_f1(blocks: Mapping[str, NDArrayInt], draws: Mapping[str, NDArrayInt]) -> NDArrayFloat:
    """F1 of every draw.

    Args:
        blocks: by group ``(B,3) int64`` counts of its blocks, in the same order for all methods that are compared.
        draws: from `draw_blocks`, of the same groups and numbers of blocks.

    Returns:
        ``(resamples,) float64``.
    """
    return f1_of(np.stack([draws[group] @ counts for group, counts in blocks.items()]).sum(axis=0))


def middle(values: NDArrayFloat) -> tuple[float, float]:
    """The interval of a figure: where the middle 95 % of its draws lie; draws that do not define it are left out.

    Args:
        values: ``(resamples,) float64``.
    """
    low, high = np.nanpercentile(values, INTERVAL).tolist()
    return low, high
