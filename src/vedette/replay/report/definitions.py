"""What the figures mean, printed beside them."""

from __future__ import annotations

from typing import Final

from vedette.evaluation.summary import DEFINITIONS as ACCURACY_DEFINITIONS

ONLINE: Final = (
    "F1 and AP score the first boxes published for each labelled frame; a later answer for the same frame is a"
    " correction and does not count."
)
REPORT_DEFINITIONS: Final = {
    "Which boxes are scored": ONLINE,
    "F1": ACCURACY_DEFINITIONS["f1"],
    "AP": ACCURACY_DEFINITIONS["ap"],
    "Identity": ACCURACY_DEFINITIONS["identity"],
    "Streaming": ACCURACY_DEFINITIONS["streaming"],
    "Streaming, boxes carried on": ACCURACY_DEFINITIONS["streaming_carried"],
    "Latency": (
        "From a frame's capture to the first publication computed from that frame's own image or sweep, over the frames"
        " that got one. The capture stage lasts until the sweep is complete; other is the rest, mostly waiting for an"
        " agent that is busy with the frame before."
    ),
    "Age": (
        "From the capture of the data used to publication, over the frames whose first boxes were propagated from"
        " earlier ones; before the first answer, from the start."
    ),
    "Bytes": "Protobuf messages, requests without an answer included; gRPC, TCP and IP headers are not counted.",
    "Policies": (
        "edge-only: the 3D detector runs on the device, frames that come meanwhile are skipped and boxes propagated."
        " cloud-only: every frame is offered to the cloud, the newest wins, late answers are propagated. hold-last,"
        " constant-velocity, constant-velocity-2d: one frame in every interval is sent, and its answer shown as it is,"
        " moved on, or moved on where the image confirms it. frustum-cluster: 2D detections put into 3D by the largest"
        " cluster behind each, frame by frame. moby, moby-device, moby-interval, moby-paper: 2D detections are lifted"
        " to 3D on every frame; the cloud sees what our policy finds worth it, the same with a detector on the device"
        " as well, one frame in every interval, or tests and anchors, which alone are waited for. What a policy sends"
        " stands above."
    ),
}
