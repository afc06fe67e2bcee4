"""What is known of an object before its points are looked at: from its track, or from its class alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vedette.classes import ObjectClass
from vedette.edge.tracking.heading import HeadingBelief
from vedette.edge.tracking.size import SizeBelief
from vedette.geometry import NDArrayFloat

_GUESS_WEIGHT: Final = 0.1


@dataclass(frozen=True)
class LiftHint:
    """Expectation of one object, in the velo frame of the frame to be lifted.

    Args:
        heading: belief; its yaw counts from the velo frame's x axis.
        size: belief.
        xy_velo: ``(2,)`` predicted centre, or None for an object seen for the first time.
        sigma_m: spread of that prediction.
        anchored: whether a 3D detector has confirmed where the object is, so that points far off it cannot be its own.
    """

    heading: HeadingBelief
    size: SizeBelief
    xy_velo: NDArrayFloat | None = None
    sigma_m: float = 0.0
    anchored: bool = False

    @classmethod
    def of_class(cls, object_class: ObjectClass) -> LiftHint:
        """What a class alone tells; the heading is guessed as ours, the commonest on a road."""
        return cls(HeadingBelief(0.0, _GUESS_WEIGHT), SizeBelief(object_class))
