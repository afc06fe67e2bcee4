"""Some frames with the boxes of every policy beside the labels, in the image and from above."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.detections import Detections3D
from vedette.publication import Publication
from vedette.replay.evaluate import first_publications
from vedette.replay.report.input import ReportInput
from vedette.replay.report.palette import colour_on_image
from vedette.replay.report.pictures import Snapshot, bev_overlay, image_overlay

_NOTE: Final = (
    "The first boxes that each policy published for the frame, in its colour: strong from a score of 0.5 on, which F1"
    " counts, thin below. Labels are dashed. From above, the vehicle is at the left edge and drives to the right."
)


def busiest(report: ReportInput) -> Snapshot:
    """The snapshot that says most at a glance: every policy has seen something by then, and there are most labels."""
    counts = {frame.index: 0 if frame.labels is None else len(frame.labels) for frame in report.truth}
    first = [first_publications(record.publications) for record in report.records]
    start_ns = min(frame.stamp_ns for frame in report.truth)

    def told(shot: Snapshot) -> tuple[int, int]:
        published = (of_policy.get(shot.index) for of_policy in first)
        return sum(one is not None and one.basis_stamp_ns >= start_ns for one in published), counts[shot.index]

    return max(report.snapshots, key=told)


def gallery(report: ReportInput, snapshots: Sequence[Snapshot]) -> str:
    """The pictures of some snapshots, as HTML.

    Args:
        report: what was published for them.
        snapshots: of `ReportInput.snapshots`.
    """
    labels = {frame.index: frame.labels for frame in report.truth}
    first = {record.policy: first_publications(record.publications) for record in report.records}
    blocks = []
    for shot in snapshots:
        objects = labels[shot.index]
        true_boxes = Detections3D.empty() if objects is None else detections_from_camera_objects(objects, shot.camera)
        blocks.append(f"<h3>Frame {shot.index}</h3>")
        blocks.extend(
            _views(report, shot, true_boxes, first[policy].get(shot.index), policy) for policy in report.policies
        )
    return f'<p class="soft">{_NOTE}</p><div class="card">{"".join(blocks)}</div>'


def _views(
    report: ReportInput, shot: Snapshot, true_boxes: Detections3D, publication: Publication | None, policy: str
) -> str:
    boxes = Detections3D.empty() if publication is None else publication.detections
    image = image_overlay(shot, true_boxes, boxes, colour_on_image(policy))
    above = bev_overlay(shot, true_boxes, boxes, report.colour(policy))
    swatch = f'<span class="swatch" style="background:{report.colour(policy)}"></span>'
    return (
        f"<figcaption>{swatch}{escape(policy)} · {caption(publication, report.start_ns)}</figcaption>"
        f'<div class="views"><figure>{image}</figure><figure>{above}</figure></div>'
    )


def caption(publication: Publication | None, start_ns: int) -> str:
    """What a policy's boxes for a frame rest on, and when they were there.

    Args:
        publication: the first for the frame, None when there is none.
        start_ns: capture of the recording's first frame; what claims older data rests on none.
    """
    if publication is None:
        return "nothing published"
    count = len(publication.detections)
    boxes = "1 box" if count == 1 else f"{count} boxes"
    return (
        f"{boxes} from {_basis(publication, start_ns)}, published {publication.latency_ns / 1e6:.0f} ms after capture"
    )


def _basis(publication: Publication, start_ns: int) -> str:
    if publication.own:
        return "its own data"
    if publication.basis_stamp_ns < start_ns:
        return "no data yet"
    return f"data {publication.age_ns / 1e6:.0f} ms old"
