"""Boxes drawn over the image and over the sweep seen from above.

Pixels travel once per frame, as data in the page; the boxes of each policy are drawn over them as lines.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.evaluation.f1 import SCORE_CUT
from vedette.frames import Frame, FrameItem
from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayUInt8, PinholeCamera, bev_corners, corners
from vedette.replay.report import svg

BEV_AHEAD_M: Final = 60.0
BEV_SIDE_M: Final = 22.0
_BEV_PX_PER_M: Final = 12
_NEAR_M: Final = 0.1
_JPEG_QUALITY: Final = 82
_EDGES: Final = np.array(
    [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
)
"""Pairs of `corners` of a box."""


@dataclass(frozen=True)
class Snapshot:
    """One frame's pixels, kept for the page.

    Args:
        index: frame number.
        camera: calibration.
        image_uri: the picture as a data URI, or None when the frame has none.
        bev_uri: the sweep seen from above as a data URI, or None likewise.
    """

    index: int
    camera: PinholeCamera
    image_uri: str | None
    bev_uri: str | None


def snapshots_of(items: Iterable[FrameItem], wanted: Collection[int]) -> list[Snapshot]:
    """The pixels of some frames.

    Args:
        items: of the recording.
        wanted: frame numbers; bad frames among them are left out.
    """
    return [snapshot_of(item) for item in items if isinstance(item, Frame) and item.index in wanted]


def snapshot_of(frame: Frame) -> Snapshot:
    """A frame's image as JPEG and its sweep from above as PNG."""
    image_uri = None
    if frame.image is not None:
        image_uri = _data_uri("jpeg", frame.image.pixels_bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    bev_uri = None
    if frame.sweep is not None:
        bev_uri = _data_uri("png", render_bev(frame.sweep.points_velo), [cv2.IMWRITE_PNG_COMPRESSION, 9])
    return Snapshot(frame.index, frame.camera, image_uri, bev_uri)


def _data_uri(kind: str, pixels: NDArrayUInt8, options: Sequence[int]) -> str:
    _, encoded = cv2.imencode(f".{kind}", pixels, options)
    return f"data:image/{kind};base64,{base64.b64encode(encoded.tobytes()).decode('ascii')}"


def render_bev(points_velo: NDArrayFloat32) -> NDArrayUInt8:
    """Points seen from above, the vehicle at the left, driving to the right; what stands above the road is darker.

    Args:
        points_velo: (N, 4), velo frame.

    Returns:
        (H, W) grey levels.
    """
    height_px, width_px = round(2 * BEV_SIDE_M * _BEV_PX_PER_M), round(BEV_AHEAD_M * _BEV_PX_PER_M)
    columns = np.floor(points_velo[:, 0] * _BEV_PX_PER_M).astype(np.int64)
    rows = np.floor((BEV_SIDE_M - points_velo[:, 1]) * _BEV_PX_PER_M).astype(np.int64)
    inside = (columns >= 0) & (columns < width_px) & (rows >= 0) & (rows < height_px)
    above_road_m = np.clip(points_velo[inside, 2] + 1.6, 0.0, 2.0)
    grey = (200.0 - 70.0 * above_road_m).astype(np.uint8)
    canvas = np.full((height_px, width_px), 255, np.uint8)
    np.minimum.at(canvas, (rows[inside], columns[inside]), grey)
    return canvas


def image_overlay(snapshot: Snapshot, labels: Detections3D, published: Detections3D, colour: str) -> str:
    """The frame's image with the labels dashed and the published boxes in a policy's colour.

    Args:
        snapshot: the frame.
        labels: true boxes, velo frame.
        published: boxes of a policy, velo frame.
        colour: of the policy, bright.
    """
    width, height = snapshot.camera.width_px, snapshot.camera.height_px
    parts = [_pixels(f"image-{snapshot.index}", snapshot.image_uri, "no image in the recording", width, height)]
    parts.append(_wireframes(labels.boxes_velo, snapshot.camera, class_="label-box-halo"))
    parts.append(_wireframes(labels.boxes_velo, snapshot.camera, class_="label-box"))
    sure, unsure = by_certainty(published)
    parts.append(_wireframes(unsure.boxes_velo, snapshot.camera, stroke=colour, stroke_width=1.2, opacity=0.7))
    parts.append(_wireframes(sure.boxes_velo, snapshot.camera, stroke="#111827", stroke_width=5.0, opacity=0.6))
    parts.append(_wireframes(sure.boxes_velo, snapshot.camera, stroke=colour, stroke_width=2.6))
    parts.extend(_names(sure, snapshot.camera, colour))
    return svg.drawing(width, height, *parts, label=f"Frame {snapshot.index} in the image")


def _pixels(reference: str, uri: str | None, otherwise: str, width: float, height: float) -> str:
    """The frame's pixels, or in their place what is missing."""
    if uri is not None:
        return svg.tag("use", href=f"#{reference}")
    return svg.text(width / 2, height / 8, otherwise, class_="absent", text_anchor="middle", font_size=height / 18)


def by_certainty(published: Detections3D) -> tuple[Detections3D, Detections3D]:
    """The boxes that F1 counts, and those below its score cut.

    Args:
        published: boxes of a policy.
    """
    sure = published.scores >= SCORE_CUT
    return published.select(sure), published.select(~sure)


def _wireframes(boxes_velo: NDArrayFloat, camera: PinholeCamera, **attributes: str | float) -> str:
    return svg.path(box_edges_px(boxes_velo, camera), **attributes)


def box_edges_px(boxes_velo: NDArrayFloat, camera: PinholeCamera) -> list[tuple[float, float, float, float]]:
    """The edges of boxes in the image, cut where they pass behind the camera.

    Args:
        boxes_velo: (N, 7), velo frame.
        camera: calibration.

    Returns:
        Segments x1, y1, x2, y2 in pixels; boxes out of view have none.
    """
    if len(boxes_velo) == 0:
        return []
    visible = camera.project_boxes(boxes_velo)[2]
    points = corners(boxes_velo[visible])
    projection = camera.projection_velo
    homogeneous = points @ projection[:, :3].T + projection[:, 3]
    segments = homogeneous[:, _EDGES].reshape(-1, 2, 3)
    return [_divided(*clipped) for start, end in segments if (clipped := _ahead(start, end)) is not None]


def _ahead(start: NDArrayFloat, end: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat] | None:
    """The part of an edge beyond the near plane."""
    near, far = (start, end) if start[2] < end[2] else (end, start)
    if far[2] <= _NEAR_M:
        return None
    if near[2] < _NEAR_M:
        near = near + (far - near) * ((_NEAR_M - near[2]) / (far[2] - near[2]))
    return near, far


def _divided(start: NDArrayFloat, end: NDArrayFloat) -> tuple[float, float, float, float]:
    return start[0] / start[2], start[1] / start[2], end[0] / end[2], end[1] / end[2]


def _names(published: Detections3D, camera: PinholeCamera, colour: str) -> list[str]:
    boxes_px, _, visible = camera.project_boxes(published.boxes_velo)
    return [
        svg.text(
            boxes_px[i, 0] + 2,
            max(boxes_px[i, 1] - 4, 11.0),
            f"{ObjectClass(published.class_ids[i]).label} {published.scores[i]:.2f}",
            class_="box-name",
            style=f"fill:{colour}",
        )
        for i in np.flatnonzero(visible)
    ]


def bev_overlay(snapshot: Snapshot, labels: Detections3D, published: Detections3D, colour: str) -> str:
    """The sweep from above with the labels dashed and the published boxes in a policy's colour; 10 units are 1 m.

    Args:
        snapshot: the frame.
        labels: true boxes, velo frame.
        published: boxes of a policy, velo frame.
        colour: of the policy.
    """
    width, height = BEV_AHEAD_M * 10, BEV_SIDE_M * 20
    parts = [_pixels(f"bev-{snapshot.index}", snapshot.bev_uri, "no sweep in the recording", width, height)]
    for ahead_m in range(10, round(BEV_AHEAD_M), 10):
        parts.append(svg.line(ahead_m * 10, 0, ahead_m * 10, height, class_="grid"))
        parts.append(svg.text(ahead_m * 10 + 3, height - 5, f"{ahead_m} m", class_="tick"))
    parts.extend(_footprints(labels, class_="label-footprint"))
    sure, unsure = by_certainty(published)
    parts.extend(_footprints(unsure, stroke=colour, stroke_width=1.2, opacity=0.7))
    parts.extend(_footprints(sure, stroke=colour, stroke_width=2.6))
    return svg.drawing(width, height, *parts, label=f"Frame {snapshot.index} from above")


def _footprints(detections: Detections3D, **attributes: str | float) -> list[str]:
    parts = []
    for footprint, box in zip(bev_corners(detections.boxes_velo), detections.boxes_velo, strict=True):
        front_m = (footprint[0] + footprint[3]) / 2
        outline = [_place(corner) for corner in (*footprint, footprint[0])]
        parts.append(svg.polyline(outline, **attributes))
        parts.append(svg.polyline([_place(box[:2]), _place(front_m)], **attributes))
    return parts


def _place(point_m: NDArrayFloat) -> tuple[float, float]:
    return float(point_m[0]) * 10, (BEV_SIDE_M - float(point_m[1])) * 10


def pixel_definitions(snapshots: Sequence[Snapshot]) -> str:
    """The pixels of all frames, for the drawings to refer to."""
    parts = []
    for shot in snapshots:
        if shot.image_uri:
            size = {"width": shot.camera.width_px, "height": shot.camera.height_px}
            parts.append(svg.tag("image", id=f"image-{shot.index}", href=shot.image_uri, **size))
        if shot.bev_uri:
            size_m = {"width": BEV_AHEAD_M * 10, "height": BEV_SIDE_M * 20}
            parts.append(svg.tag("image", id=f"bev-{shot.index}", href=shot.bev_uri, **size_m))
    return svg.tag("svg", svg.tag("defs", *parts), width=0, height=0, aria_hidden="true", class_="pixels")


def choose_frames(indices: Sequence[int], count: int) -> list[int]:
    """Frames spread evenly over a recording, its very ends left out where it is long enough.

    Args:
        indices: all frame numbers, in order.
        count: how many at most.
    """
    wanted = min(count, len(indices))
    return [indices[int((i + 0.5) * len(indices) / wanted)] for i in range(wanted)]
