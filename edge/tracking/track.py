"""One object over time, and the set of them. Both are values: a step makes new ones, so that the past can be kept.

That is what makes a late answer simple: the set as it was at the answer's capture time is still there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lifted import Rung
from vedette.edge.lifting.priors import Group, prior
from vedette.edge.tracking.heading import HeadingBelief
from vedette.edge.tracking.motion import Motion
from vedette.edge.tracking.size import SizeBelief
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat, wrap_pi

_PARKED_ACCELERATION_SHARE: Final = 0.4


@dataclass(frozen=True)
class ImageTrace:
    """Where the image showed an object last.

    Args:
        box_px: ``(4,)`` x1, y1, x2, y2.
        drift_px_per_s: ``(4,)`` how its edges move.
        stamp_ns: when.
    """

    box_px: NDArrayFloat
    drift_px_per_s: NDArrayFloat
    stamp_ns: int

    def followed(self, box_px: NDArrayFloat, stamp_ns: int) -> ImageTrace:
        """The trace after the next sight of the object."""
        elapsed_s = (stamp_ns - self.stamp_ns) / 1e9
        drift = 0.5 * (box_px - self.box_px) / elapsed_s if elapsed_s > 0 else self.drift_px_per_s
        return ImageTrace(box_px, drift, stamp_ns)

    def expected_px(self, stamp_ns: int) -> NDArrayFloat:
        """``(4,)`` box at a later time."""
        return self.box_px + self.drift_px_per_s * ((stamp_ns - self.stamp_ns) / 1e9)


@dataclass(frozen=True)
class Track:
    """One object.

    Args:
        track_id: see `birth_id`.
        class_votes: ``(8,)`` summed scores by class id.
        motion: in the world frame.
        bottom_z: of the object, world frame.
        heading: in the world frame.
        size: belief.
        sight_score: of the 2D detections, smoothed; 0 for an object that no image has shown.
        fit_score: of the lifted boxes, smoothed: how well they agreed with points and image.
        anchor_score: of the last answer that held it; 0 when none did.
        rung: what made the present box.
        seen_ns: capture time of the last frame or answer that showed it.
        anchored_ns: capture time of the last answer that held it, or None.
        hits: images that showed it.
        misses: images since then that should have shown it and did not.
        unconfirmed: answers since the last that held it that should have held it and did not.
        outliers: lifted places in a row that did not agree with the motion.
        trace: in the image, or None when no image has shown it.
    """

    track_id: int
    class_votes: NDArrayFloat
    motion: Motion
    bottom_z: float
    heading: HeadingBelief
    size: SizeBelief
    sight_score: float
    anchor_score: float
    rung: Rung
    seen_ns: int
    anchored_ns: int | None = None
    fit_score: float = 0.8
    hits: int = 0
    misses: int = 0
    unconfirmed: int = 0
    outliers: int = 0
    trace: ImageTrace | None = None

    @property
    def object_class(self) -> ObjectClass:
        """What it is: the votes' choice, a vehicle's corrected by its height."""
        return self.size.refined_class

    @property
    def group(self) -> Group:
        """Which detections may be this object."""
        return prior(self.size.object_class).group

    def predicted(self, duration_s: float) -> Track:
        """The track some time later."""
        sigma = prior(self.size.object_class).acceleration_sigma_mps2
        if not self.motion.moving:
            return self.but(motion=self.motion.predicted(duration_s, _PARKED_ACCELERATION_SHARE * sigma))
        motion = self.motion.predicted(duration_s, sigma)
        turned = self.heading.rotated(self.motion.turn_rate_radps * duration_s)
        return self.but(motion=motion, heading=turned if self.heading.directed else self.heading)

    def but(self, **changes: Any) -> Track:
        """The track with some of its fields changed: `dataclasses.replace` in a third of the time, dozens a frame.

        Args:
            changes: by name.
        """
        return Track(**{**vars(self), **changes})

    def hint(self, viewpoint: Viewpoint) -> LiftHint:
        """What the track says about its object in a frame."""
        centre = self.apparent_velo(viewpoint)
        heading = self.heading.rotated(-viewpoint.yaw)
        sigma_m = self.motion.position_sigma_m
        return LiftHint(heading, self.size, centre[:2], sigma_m, anchored=self.anchored_ns is not None)

    def apparent_velo(self, viewpoint: Viewpoint) -> NDArrayFloat:
        """``(3,)`` middle of its bottom where the sweep shows it, which looks at it a moment before or after."""
        place = np.array([*self.motion.xy, self.bottom_z])
        lag_s = viewpoint.lag_s(viewpoint.ego_SE3_world.transform_points(place))
        place[:2] += lag_s * (self.motion.velocity - viewpoint.velocity_world_mps)
        return viewpoint.ego_SE3_world.transform_points(place)


@dataclass(frozen=True)
class TrackSet:
    """All objects at one time.

    Args:
        stamp_ns: the time; of no meaning while there are none.
        tracks: the objects.
        answered_classes: classes that answers have named so far: only of those can an answer's silence mean something.
    """

    stamp_ns: int = 0
    tracks: tuple[Track, ...] = ()
    answered_classes: frozenset[ObjectClass] = field(default_factory=frozenset)

    def predicted(self, stamp_ns: int) -> TrackSet:
        """The objects at a later time."""
        elapsed_s = max(stamp_ns - self.stamp_ns, 0) / 1e9
        return replace(self, stamp_ns=stamp_ns, tracks=tuple(track.predicted(elapsed_s) for track in self.tracks))


class Birthplace:
    """Kinds of evidence that a track can start from, as the slots of `birth_id`."""

    IMAGE: Final = 0
    ANSWER: Final = 500


def birth_id(frame_index: int, birthplace: int, index: int) -> int:
    """The identity of a track: where it was born.

    A running number would depend on when a late answer happens to be merged, and could give two objects one name.

    Args:
        frame_index: of the frame whose evidence started the track.
        birthplace: one of `Birthplace`.
        index: of the detection, or of the answer's box; below 500.

    Returns:
        For example 12003 for the fourth detection in frame 12, 12503 for the fourth box of the answer about it.
    """
    return 1000 * frame_index + birthplace + index


def boxes_velo(tracks: Sequence[Track], viewpoint: Viewpoint) -> NDArrayFloat:
    """The tracks' boxes as a frame sees them.

    Args:
        tracks: at the frame's time.
        viewpoint: of the frame.

    Returns:
        ``(N,7)`` velo frame.
    """
    boxes = np.zeros((len(tracks), 7))
    if not tracks:
        return boxes
    bottoms = np.empty((len(tracks), 3))
    bottoms[:, :2] = [track.motion.xy for track in tracks]
    bottoms[:, 2] = [track.bottom_z for track in tracks]
    boxes[:, :3] = viewpoint.ego_SE3_world.transform_points(bottoms)
    boxes[:, 3:6] = [track.size.size_m for track in tracks]
    boxes[:, 2] += boxes[:, 5] / 2
    boxes[:, 6] = wrap_pi(np.array([track.heading.yaw for track in tracks]) - viewpoint.yaw)
    return boxes
