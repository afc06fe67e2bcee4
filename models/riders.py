"""Riders: COCO has people, bicycles and motorcycles; KITTI, and a tracker, want cyclists and motorcyclists.

A person on a bicycle or motorcycle becomes one object:

        person
        +---+                 +-------+
        |   |                 |       |
      +-|---|--+     --->     |       |   cyclist: the union of both boxes
      | |   |  |              |       |
      | +---+  | bicycle      |       |
      +--------+              +-------+

A bicycle or motorcycle that nobody rides is dropped: it is street furniture.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.geometry import NDArrayBool, NDArrayFloat, ioa_2d

_MIN_SHARE: Final = 0.3
"""Of the vehicle's box inside the person's: less is somebody walking past it."""


def merge_riders(detections: Detections2D) -> Detections2D:
    """Join people with what they ride, and drop what nobody rides.

    Every vehicle takes the person that covers most of it, and a person rides at most one vehicle.

    Args:
        detections: where `CYCLIST` stands for a bicycle and `MOTORCYCLE` for a motorcycle, ridden or not.

    Returns:
        Detections of the same order, people first replaced by riders where they ride; masks are not kept.
    """
    is_person = detections.class_ids == ObjectClass.PEDESTRIAN
    is_ride = (detections.class_ids == ObjectClass.CYCLIST) | (detections.class_ids == ObjectClass.MOTORCYCLE)
    if not is_ride.any():
        return detections
    people, rides = np.flatnonzero(is_person), np.flatnonzero(is_ride)
    boxes, scores, class_ids = detections.boxes_px.copy(), detections.scores.copy(), detections.class_ids.copy()
    on = _riding(boxes[people], boxes[rides])
    rider, ride = people[on.any(axis=1)], rides[on.argmax(axis=1)[on.any(axis=1)]]
    boxes[rider, :2] = np.minimum(boxes[rider, :2], boxes[ride, :2])
    boxes[rider, 2:] = np.maximum(boxes[rider, 2:], boxes[ride, 2:])
    scores[rider] = np.maximum(scores[rider], scores[ride])
    class_ids[rider] = class_ids[ride]
    return Detections2D(boxes, scores, class_ids).select(~is_ride)


def _riding(people_px: NDArrayFloat, rides_px: NDArrayFloat) -> NDArrayBool:
    """(P, R) who rides what: pairs that are each other's best, and overlap enough."""
    if not len(people_px) or not len(rides_px):
        return np.zeros((len(people_px), len(rides_px)), dtype=np.bool_)
    share = ioa_2d(rides_px, people_px).T
    pairs = np.zeros(share.shape, dtype=np.bool_)
    best_ride = share.argmax(axis=1)
    person = np.arange(len(people_px))
    mutual = share[:, best_ride].argmax(axis=0) == person
    pairs[person, best_ride] = mutual & (share[person, best_ride] >= _MIN_SHARE)
    return pairs
