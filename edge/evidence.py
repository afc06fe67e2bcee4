"""What a frame brings to the tracks, and the steps that take it in: associate, lift, update.

Pure functions, so that a late answer can have them done again for the frames that came after its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections2D, Detections3D
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lift import lift_frame
from vedette.edge.lifting.lifted import LiftedBox
from vedette.edge.lifting.scene import Scene, view_scene
from vedette.edge.offload.link import Answer
from vedette.edge.offload.review import SURE_SCORE
from vedette.edge.tracking.association import UNMATCHED, associate
from vedette.edge.tracking.history import Moment
from vedette.edge.tracking.support import is_rubbish, looked_at, supported
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.unseen import expected, unseen_rows
from vedette.edge.tracking.update import coast_tracks, update_tracks
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.errors import ImplausibleAnswerError
from vedette.frames import Frame
from vedette.geometry import NDArrayInt


@dataclass(frozen=True)
class Evidence:
    """What one frame brought, as far as lifting needs it again when a late answer comes.

    Args:
        detections: of the image, without their masks; None when there was no image, or it was not looked at.
        scene: of the sweep; None likewise.
    """

    detections: Detections2D | None
    scene: Scene | None


NOTHING: Final = Evidence(None, None)
"""Of a frame that nobody looked at."""


def evidence_of(frame: Frame, detections: Detections2D | None) -> Evidence:
    """Reduce a frame to what lifting needs of it, and later the check of an answer."""
    seen = Detections2D.empty() if detections is None else detections
    scene = view_scene(frame.sweep, frame.camera, seen) if frame.sweep is not None else None
    if detections is None:
        return Evidence(None, scene)
    return Evidence(Detections2D(detections.boxes_px, detections.scores, detections.class_ids), scene)


def believable(answer: Answer, moment: Moment[Evidence]) -> tuple[Detections3D, int]:
    """The boxes of an answer that the sweep bears out, and how many of the sure ones it does not.

    A detector lists many weak boxes that mean little; what it is sure of tells whether it looks at the same street.

    Raises:
        ImplausibleAnswerError: most of the sure ones it does not.
    """
    scene, boxes = moment.evidence.scene, answer.detections
    if scene is None or len(boxes) == 0:
        return boxes, 0
    ahead = looked_at(boxes.boxes_velo, moment.viewpoint.camera)
    good = supported(boxes, scene.xyz_velo, scene.ground) | ~ahead
    sure = good[ahead & (boxes.scores >= SURE_SCORE)]
    bad_count = int((~sure).sum())
    if is_rubbish(sure):
        raise ImplausibleAnswerError(
            f"{bad_count} of the {len(sure)} sure boxes of the answer for frame {answer.frame_index} stand where its"
            " sweep shows nothing; expected at least half of them to hold points and to stand on the ground"
        )
    return boxes.select(good), bad_count


def associated(predicted: TrackSet, detections: Detections2D | None, viewpoint: Viewpoint) -> NDArrayInt:
    """``(N,)`` row of the track that each detection shows, or `UNMATCHED`."""
    if detections is None:
        return np.zeros(0, np.int64)
    return associate(predicted.tracks, detections, viewpoint)


@dataclass(frozen=True)
class Boxes:
    """What a frame's image and sweep were lifted to.

    Args:
        seen: parallel to the detections; None where one could not be lifted.
        followed: by the row of their track, boxes of objects that no detection shows but the sweep.
    """

    seen: Sequence[LiftedBox | None]
    followed: Mapping[int, LiftedBox]


def lifted_boxes(predicted: TrackSet, evidence: Evidence, viewpoint: Viewpoint, matches: NDArrayInt) -> Boxes:
    """Lift each detection by what its track, or else its class, says of it; follow the tracks that none shows."""
    detections = evidence.detections or Detections2D.empty()
    if evidence.scene is None:
        return Boxes((None,) * len(matches), {})
    hints = [
        LiftHint.of_class(ObjectClass(int(class_id))) if row == UNMATCHED else predicted.tracks[row].hint(viewpoint)
        for row, class_id in zip(matches, detections.class_ids, strict=True)
    ]
    unseen = unseen_rows(predicted, matches, viewpoint)
    places = [expected(predicted.tracks[row], viewpoint) for row in unseen]
    lifted = lift_frame(detections, hints, evidence.scene, viewpoint.camera, places)
    followed = {row: box for row, box in zip(unseen, lifted.followed, strict=True) if box is not None}
    return Boxes(lifted.seen, followed)


def updated(predicted: TrackSet, moment: Moment[Evidence], matches: NDArrayInt, boxes: Boxes) -> TrackSet:
    """The tracks after a frame's detections and what they were lifted to."""
    detections = moment.evidence.detections
    if detections is None:
        return coast_tracks(predicted, moment.viewpoint, boxes.followed)
    return update_tracks(
        predicted,
        moment.frame_index,
        moment.viewpoint,
        detections=detections,
        matches=matches,
        lifted=boxes.seen,
        followed=boxes.followed,
    )


def advance(tracks: TrackSet, moment: Moment[Evidence]) -> TrackSet:
    """The steps from predict to update once more, from what the frame brought."""
    predicted = tracks.predicted(moment.viewpoint.stamp_ns)
    matches = associated(predicted, moment.evidence.detections, moment.viewpoint)
    boxes = lifted_boxes(predicted, moment.evidence, moment.viewpoint, matches)
    return updated(predicted, moment, matches, boxes)
