"""How large an object is: the class's typical size at first, then what many views and a detector's answers add up to.

A single view shows at most two faces and often parts of them, so that measured extents are mostly too short. The upper
half of the plausible ones over a track is near the truth; it is mixed with the prior.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.edge.lifting.priors import class_by_height, prior
from vedette.geometry import NDArrayFloat

_MEMORY_VIEWS: Final = 25
_MEMORY_ANCHORS: Final = 5
_MIN_VIEWS: Final = 3
_EXTENT_QUANTILE: Final = 0.6
_PLAUSIBLE: Final = (0.8, 1.75)
_PLAUSIBLE_HEIGHT: Final = (0.6, 1.8)
_VIEW_SHARE_LENGTH: Final = 0.5
_VIEW_SHARE_WIDTH: Final = 0.4
_VIEW_SHARE_HEIGHT: Final = 0.75
_HEIGHT_RATIO: Final = 1.25


@dataclass(frozen=True)
class SizeBelief:
    """Size of one object.

    Args:
        object_class: as the detector says; a vehicle's is corrected by the measured height.
        lengths_m: extents along the heading of the latest views, newest last.
        widths_m: extents across it.
        heights_m: of the top over the ground.
        anchors_m: length, width, height of the latest answers of a 3D detector.
        anchor_class: what those answers called it, or None when there were none.
    """

    object_class: ObjectClass
    lengths_m: tuple[float, ...] = ()
    widths_m: tuple[float, ...] = ()
    heights_m: tuple[float, ...] = ()
    anchors_m: tuple[tuple[float, float, float], ...] = ()
    anchor_class: ObjectClass | None = None

    @cached_property
    def refined_class(self) -> ObjectClass:
        """The class, a vehicle's corrected by its height."""
        measured = median(self.heights_m) if len(self.heights_m) >= _MIN_VIEWS else None
        return class_by_height(self.object_class, measured)

    @cached_property
    def size_m(self) -> NDArrayFloat:
        """``(3,)`` length, width, height: best guess."""
        if self.anchors_m:
            return np.array([median(sizes) for sizes in zip(*self.anchors_m, strict=True)])
        typical = prior(self.refined_class).size_m
        return np.array(
            [
                _mixed(typical[0], self.lengths_m, _VIEW_SHARE_LENGTH),
                _mixed(typical[1], self.widths_m, _VIEW_SHARE_WIDTH),
                self._height_m(typical[2]),
            ]
        )

    def _height_m(self, typical_m: float) -> float:
        if not self.heights_m:
            return typical_m
        return (1 - _VIEW_SHARE_HEIGHT) * typical_m + _VIEW_SHARE_HEIGHT * median(self.heights_m)

    def observed_extents(self, length_m: float, width_m: float) -> SizeBelief:
        """Take in what one view shows along and across the heading."""
        lengths_m, widths_m = (*self.lengths_m, length_m)[-_MEMORY_VIEWS:], (*self.widths_m, width_m)[-_MEMORY_VIEWS:]
        # replace() would take six times as long, for every box that may explain an object
        return SizeBelief(self.object_class, lengths_m, widths_m, self.heights_m, self.anchors_m, self.anchor_class)

    def observed_height(self, height_m: float) -> SizeBelief:
        """Take in the height of a view that shows the top; one that the class cannot have is left out."""
        typical_m = prior(self.object_class).size_m[2]
        if not _PLAUSIBLE_HEIGHT[0] * typical_m < height_m < _PLAUSIBLE_HEIGHT[1] * typical_m:
            return self
        heights_m = (*self.heights_m, height_m)[-_MEMORY_VIEWS:]
        return SizeBelief(
            self.object_class, self.lengths_m, self.widths_m, heights_m, self.anchors_m, self.anchor_class
        )

    def anchored(self, object_class: ObjectClass, size_m: NDArrayFloat) -> SizeBelief:
        """Take in a 3D detector's answer; from then on answers alone tell its size.

        Args:
            object_class: as the answer says.
            size_m: ``(3,)`` length, width, height.
        """
        answer = (float(size_m[0]), float(size_m[1]), float(size_m[2]))
        earlier = self.anchors_m if object_class is self.anchor_class else ()
        return replace(self, anchors_m=(*earlier, answer)[-_MEMORY_ANCHORS:], anchor_class=object_class)

    def contradicts(self, height_m: float) -> bool:
        """Whether the heights that images showed speak against an answer's."""
        if len(self.heights_m) < _MIN_VIEWS:
            return False
        ratio = height_m / median(self.heights_m)
        return not 1 / _HEIGHT_RATIO < ratio < _HEIGHT_RATIO

    def of_class(self, object_class: ObjectClass) -> SizeBelief:
        """The same views of what is now taken for another class."""
        return self if object_class is self.object_class else replace(self, object_class=object_class)


def _mixed(typical_m: float, extents_m: tuple[float, ...], view_share: float) -> float:
    low, high = _PLAUSIBLE[0] * typical_m, _PLAUSIBLE[1] * typical_m
    plausible = sorted(extent for extent in extents_m if low < extent < high)
    if len(plausible) < _MIN_VIEWS:
        return typical_m
    return (1 - view_share) * typical_m + view_share * plausible[round(_EXTENT_QUANTILE * (len(plausible) - 1))]
