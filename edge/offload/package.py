"""How a sweep is packed for the cloud: which part of it, and by which codec."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from vedette.codecs.sweep import crop_to_camera, sweep_codec
from vedette.errors import InvalidFrameError
from vedette.frames import Sweep
from vedette.geometry import NDArrayFloat, PinholeCamera


class View(StrEnum):
    """Which points are sent."""

    WHOLE = "whole"
    """All around the sensor: for detectors that look there, at six times the bytes of the camera's view."""
    CAMERA = "camera"
    """What the camera sees."""
    REGIONS = "regions"
    """Only rectangles of the image; the answer is silent about the rest."""


@dataclass(frozen=True)
class Package:
    """How to pack one sweep.

    Args:
        view: which points.
        codec: name of the sweep codec.
        regions_px: ``(R,4)`` rectangles x1, y1, x2, y2 of the image where the view is `View.REGIONS`, else None.

    Raises:
        ValueError: regions without that view, or that view without regions.
    """

    view: View
    codec: str
    regions_px: NDArrayFloat | None = None

    def __post_init__(self) -> None:
        if (self.view is View.REGIONS) != (self.regions_px is not None and len(self.regions_px) > 0):
            raise ValueError(f"package of view {self.view} with regions {self.regions_px}; expected both or neither")

    def pack(self, sweep: Sweep, camera: PinholeCamera) -> Sweep:
        """The points to send, in their order.

        Raises:
            InvalidFrameError: there are none in the view.
        """
        if self.view is View.WHOLE:
            return sweep
        seen = crop_to_camera(sweep, camera)
        if self.regions_px is None:
            return seen
        return _in_regions(seen, camera, self.regions_px)


def _in_regions(seen: Sweep, camera: PinholeCamera, regions_px: NDArrayFloat) -> Sweep:
    pixels, _ = camera.project_velo(seen.points_velo)
    u, v = pixels[:, 0, None], pixels[:, 1, None]
    x1, y1, x2, y2 = regions_px.T
    inside = ((u >= x1) & (u <= x2) & (v >= y1) & (v <= y2)).any(axis=1)
    if not inside.any():
        raise InvalidFrameError(f"none of the {len(seen)} points of the view is in the {len(regions_px)} regions")
    return Sweep(np.ascontiguousarray(seen.points_velo[inside]), seen.start_ns, seen.end_ns)


def usual_package(codec: str, *, camera_view_only: bool) -> Package:
    """What the settings say, for requests that do not say otherwise.

    Args:
        codec: name of the sweep codec.
        camera_view_only: leave out the points that the camera does not see.

    Raises:
        UnknownCodecError: no codec of that name.
    """
    return Package(View.CAMERA if camera_view_only else View.WHOLE, sweep_codec(codec).name)
