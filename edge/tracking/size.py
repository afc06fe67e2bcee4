"""How large an object is: the class's typical size at first, then what many views and a detector's answers add up to.

A view tells length and width as far as it shows their ends; how far is told by the spread it comes with. Views of one
object resemble each other, errors included, so that old ones are forgotten and a view's certainty is bounded: a
hundred equal views are not ten times as sure as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.edge.lifting.priors import class_by_height, prior
from vedette.geometry import NDArrayFloat

_MOST_VIEWS: Final = 2.5
_LEAST_SHARE: Final = 0.15
_LEAST_SIGMA_M: Final = (0.25, 0.12)
_MEMORY_HEIGHTS: Final = 25
_MEMORY_ANCHORS: Final = 5
_ANCHOR_SIGMA_M: Final = (0.15, 0.06)
_MIN_VIEWS: Final = 3
_PLAUSIBLE_HEIGHT: Final = (0.6, 1.8)
_VIEW_SHARE_HEIGHT: Final = 0.75
_HEIGHT_RATIO: Final = 1.25


@dataclass(frozen=True)
class Evidence:
    """Measurements of one length, added up.

    Args:
        weight: sum of the inverse variances, 1/m2.
        total: sum of the measurements, each times its inverse variance.
    """

    weight: float = 0.0
    total: float = 0.0

    def combined(self, typical_m: float, sigma_m: float) -> tuple[float, float]:
        """Mean and spread, a prior taken in."""
        weight = self.weight + 1 / sigma_m**2
        return (self.total + typical_m / sigma_m**2) / weight, weight**-0.5

    def observed(self, mean_m: float, sigma_m: float) -> Evidence:
        """Take in a measurement, the less of it the more is known already."""
        weight = sigma_m**-2
        taken = weight * max(1 - self.weight / (_MOST_VIEWS * weight), _LEAST_SHARE)
        kept = max(1 - taken / (_MOST_VIEWS * weight), 0.0)
        return Evidence(kept * self.weight + taken, kept * self.total + taken * mean_m)


@dataclass(frozen=True)
class SizeBelief:
    """Size of one object.

    Args:
        object_class: as the detector says; a vehicle's is corrected by the measured height.
        length: what the views say.
        width: likewise.
        heights_m: of the top over the ground, of the latest views, newest last.
        anchors_m: length, width, height of the latest answers of a 3D detector.
        anchor_class: what those answers called it, or None when there were none.
    """

    object_class: ObjectClass
    length: Evidence = Evidence()
    width: Evidence = Evidence()
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
        if self._is_anchored:
            return np.array([median(sizes) for sizes in zip(*self.anchors_m, strict=True)])
        (length_m, _), (width_m, _) = self.plan
        return np.array([length_m, width_m, self._height_m(prior(self.refined_class).size_m[2])])

    @cached_property
    def plan(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Mean and spread of the length and of the width, metres."""
        if self._is_anchored:
            length_m, width_m, _ = self.size_m.tolist()
            return (length_m, _ANCHOR_SIGMA_M[0]), (width_m, _ANCHOR_SIGMA_M[1])
        typical = prior(self.refined_class)
        (length_m, width_m, _), (length_sigma_m, width_sigma_m) = typical.size_m, typical.plan_sigma_m
        return self.length.combined(length_m, length_sigma_m), self.width.combined(width_m, width_sigma_m)

    @property
    def strangeness(self) -> float:
        """Squared distance of length and width from the class's typical ones, in units of its spread."""
        typical = prior(self.refined_class)
        length, width = (
            (mean_m - typical.size_m[axis]) / typical.plan_sigma_m[axis] for axis, (mean_m, _) in enumerate(self.plan)
        )
        return length**2 + width**2

    def without_plan(self) -> SizeBelief:
        """The same without what was seen of length and width."""
        return replace(self, length=Evidence(), width=Evidence())

    def without_heights(self) -> SizeBelief:
        """The same without the heights that images showed."""
        return replace(self, heights_m=())

    @property
    def _is_anchored(self) -> bool:
        return bool(self.anchors_m)

    def _height_m(self, typical_m: float) -> float:
        if not self.heights_m:
            return typical_m
        return (1 - _VIEW_SHARE_HEIGHT) * typical_m + _VIEW_SHARE_HEIGHT * median(self.heights_m)

    def observed_plan(self, means_m: Sequence[float], sigmas_m: Sequence[float]) -> SizeBelief:
        """Take in the length and width that a view came to, this belief's own being part of what it came from.

        Args:
            means_m: length and width.
            sigmas_m: their spreads; as large as the belief's own where the view tells nothing.
        """
        length, width = (
            _without_prior(evidence, before, mean, sigma, least)
            for evidence, before, mean, sigma, least in zip(
                (self.length, self.width), self.plan, means_m, sigmas_m, _LEAST_SIGMA_M, strict=True
            )
        )
        # replace() would take six times as long, for every box that may explain an object
        return SizeBelief(self.object_class, length, width, self.heights_m, self.anchors_m, self.anchor_class)

    def observed_height(self, height_m: float) -> SizeBelief:
        """Take in the height of a view that shows the top; one that the class cannot have is left out."""
        typical_m = prior(self.object_class).size_m[2]
        if not _PLAUSIBLE_HEIGHT[0] * typical_m < height_m < _PLAUSIBLE_HEIGHT[1] * typical_m:
            return self
        heights_m = (*self.heights_m, height_m)[-_MEMORY_HEIGHTS:]
        return SizeBelief(self.object_class, self.length, self.width, heights_m, self.anchors_m, self.anchor_class)

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


def _without_prior(
    evidence: Evidence, before: tuple[float, float], mean_m: float, sigma_m: float, least_sigma_m: float
) -> Evidence:
    """Take in what a view added to a belief: the difference of what it came to and what it started from."""
    before_m, before_sigma_m = before
    gained = sigma_m**-2 - before_sigma_m**-2
    if gained * before_sigma_m**2 < 1e-3:
        return evidence
    measured_m = (mean_m * sigma_m**-2 - before_m * before_sigma_m**-2) / gained
    return evidence.observed(measured_m, max(gained**-0.5, least_sigma_m))
