"""Which objects to look for in the sweep alone: those that answers have found and no detection shows."""

from __future__ import annotations

from typing import Final

from vedette.edge.lifting.follow import Expected
from vedette.edge.tracking.association import projected_px
from vedette.edge.tracking.track import Track, TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayInt

_FOLLOWED_NS: Final = 1_000_000_000
_MIN_VIEW_PX: Final = 10.0


def unseen_rows(predicted: TrackSet, matches: NDArrayInt, viewpoint: Viewpoint) -> list[int]:
    """Rows of the tracks to follow.

    A false alarm of the image has points too; so only what an answer has held of late, and none has missed since.

    Args:
        predicted: the tracks at the frame's time.
        matches: ``(D,)`` row of the track that each detection shows, or `UNMATCHED`.
        viewpoint: of the frame.
    """
    seen = set(matches.tolist())
    rows = [row for row, track in enumerate(predicted.tracks) if row not in seen and _is_sure(track, viewpoint)]
    if not rows:
        return rows
    bounds = projected_px([predicted.tracks[row] for row in rows], viewpoint)
    in_view = (bounds[:, 2:] - bounds[:, :2]).min(axis=1) > _MIN_VIEW_PX
    return [row for row, shown in zip(rows, in_view, strict=True) if shown]


def expected(track: Track, viewpoint: Viewpoint) -> Expected:
    """Where a track should be, for lifting."""
    turn = viewpoint.ego_SE3_world.rotation[:2, :2]
    hint = track.hint(viewpoint)
    return Expected(hint, track.apparent_velo(viewpoint)[:2], turn @ track.motion.covariance[:2, :2] @ turn.T)


def _is_sure(track: Track, viewpoint: Viewpoint) -> bool:
    held_ns = track.anchored_ns
    return held_ns is not None and track.unconfirmed == 0 and viewpoint.stamp_ns - held_ns <= _FOLLOWED_NS
