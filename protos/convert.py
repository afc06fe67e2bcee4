"""Our values as messages of the wire, and back with every field checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vedette.codecs.sweep import EncodedSweep, decode_sweep
from vedette.detections import Detections3D
from vedette.errors import InvalidMessageError
from vedette.frames import Sweep
from vedette.geometry import SE3, NDArrayFloat, PinholeCamera, check_upright, wrap_pi
from vedette.protos.arrays import array_from_proto, array_to_proto
from vedette.protos.headers import request_header, response_header
from vedette.protos.limits import check_schema_version
from vedette.protos.v1alpha1 import common_pb2, detection_pb2


def detect_request_from(
    encoded: EncodedSweep,
    start_ns: int,
    end_ns: int,
    camera: PinholeCamera,
    *,
    trace_id: str,
    capture_time_ns: int,
    model: str = "",
) -> detection_pb2.DetectSweepRequest:
    """Ask for the objects of a sweep.

    Args:
        encoded: the points.
        start_ns: time of the first return, UTC nanoseconds.
        end_ns: time of the last return.
        camera: calibration; the answer covers its view.
        trace_id: 32 lower-case hex digits, one per frame.
        capture_time_ns: the answer speaks about this instant.
        model: name of the model; empty leaves the choice to the server.
    """
    sweep = common_pb2.EncodedSweep(
        codec=encoded.codec,
        codec_version=encoded.version,
        point_count=encoded.point_count,
        data=encoded.data,
        start_ns=start_ns,
        end_ns=end_ns,
    )
    header = request_header(trace_id, capture_time_ns)
    return detection_pb2.DetectSweepRequest(header=header, sweep=sweep, camera=camera_to_proto(camera), model=model)


def sweep_and_camera_from(request: detection_pb2.DetectSweepRequest) -> tuple[Sweep, PinholeCamera]:
    """The sweep, decoded, and the calibration of a request.

    Args:
        request: as it came; its header is checked elsewhere, before this costs anything.

    Raises:
        InvalidMessageError: sweep or calibration is missing, or the calibration is not one.
        UnknownCodecError: the sweep's codec or version is not one this build has.
        CorruptBlobError: the blob is truncated or damaged.
        InvalidFrameError: the points or times are not those of a sweep.
    """
    if not request.HasField("sweep"):
        raise InvalidMessageError("DetectSweepRequest has no sweep; expected one")
    if not request.HasField("camera"):
        raise InvalidMessageError(
            "DetectSweepRequest has no camera; expected its calibration, the answer covers its view"
        )
    camera = camera_from_proto(request.camera)
    blob = request.sweep
    encoded = EncodedSweep(blob.codec, blob.codec_version, blob.point_count, blob.data)
    return decode_sweep(encoded, blob.start_ns, blob.end_ns), camera


def camera_to_proto(camera: PinholeCamera) -> common_pb2.PinholeCamera:
    """Write a calibration.

    Args:
        camera: any.
    """
    return common_pb2.PinholeCamera(
        projection=camera.projection.ravel().tolist(),
        cam_se3_velo=camera.cam_SE3_velo.matrix[:3].ravel().tolist(),
        width_px=camera.width_px,
        height_px=camera.height_px,
    )


def camera_from_proto(message: common_pb2.PinholeCamera) -> PinholeCamera:
    """Read a calibration.

    Args:
        message: as it came.

    Raises:
        InvalidMessageError: not a pinhole camera: wrong number of elements, not finite, not a rotation, no size.
    """
    projection = _matrix_3x4(message.projection, "camera.projection")
    cam_SE3_velo = _matrix_3x4(message.cam_se3_velo, "camera.cam_se3_velo")
    try:
        camera = PinholeCamera(projection, SE3.from_matrix(cam_SE3_velo), message.width_px, message.height_px)
        check_upright(camera.cam_SE3_velo)
    except ValueError as error:
        raise InvalidMessageError(f"camera is not a calibration: {error}") from error
    return camera


def detect_response_from(
    detections: Detections3D,
    *,
    trace_id: str,
    capture_time_ns: int,
    model: str,
    stage_ms: Mapping[str, float],
    total_ms: float,
) -> detection_pb2.DetectSweepResponse:
    """Answer with the objects of a sweep.

    Args:
        detections: boxes in the velo frame at the capture time.
        trace_id: of the request.
        capture_time_ns: of the request.
        model: name and version of what detected them.
        stage_ms: milliseconds by stage, in order.
        total_ms: from the request's arrival to now.
    """
    return detection_pb2.DetectSweepResponse(
        header=response_header(trace_id, stage_ms, total_ms),
        capture_time_ns=capture_time_ns,
        detections=detections_to_proto(detections),
        model=model,
    )


def detections_from(response: detection_pb2.DetectSweepResponse) -> Detections3D:
    """The objects of an answer, velo frame at the capture time.

    Args:
        response: as it came.

    Raises:
        SchemaVersionError: the answer's schema is not one that this build understands.
        InvalidMessageError: no detections, or the arrays are not those of detections.
    """
    check_schema_version(response.header.schema_version)
    if not response.HasField("detections"):
        raise InvalidMessageError("DetectSweepResponse has no detections; expected them, empty where nothing was seen")
    return detections_from_proto(response.detections)


def detections_to_proto(detections: Detections3D) -> detection_pb2.Detections3D:
    """Write detections.

    Args:
        detections: any.
    """
    return detection_pb2.Detections3D(
        boxes_velo=array_to_proto(detections.boxes_velo),
        scores=array_to_proto(detections.scores),
        class_ids=array_to_proto(detections.class_ids.astype(np.uint8)),
    )


def detections_from_proto(message: detection_pb2.Detections3D) -> Detections3D:
    """Read detections.

    Args:
        message: as it came.

    Raises:
        InvalidMessageError: the arrays are not those of detections.
    """
    boxes_velo = array_from_proto(message.boxes_velo, "detections.boxes_velo", "float64", (None, 7)).copy()
    scores = array_from_proto(message.scores, "detections.scores", "float64", (len(boxes_velo),))
    class_ids = array_from_proto(message.class_ids, "detections.class_ids", "uint8", (len(boxes_velo),))
    boxes_velo[:, 6] = wrap_pi(boxes_velo[:, 6])
    try:
        return Detections3D(boxes_velo, scores, class_ids.astype(np.int64))
    except ValueError as error:
        raise InvalidMessageError(f"detections are not usable: {error}") from error


def _matrix_3x4(values: Sequence[float], name: str) -> NDArrayFloat:
    if len(values) != 12:
        raise InvalidMessageError(f"{name} has {len(values)} elements; expected 12, a 3x4 matrix row by row")
    return np.array(values, dtype=np.float64).reshape(3, 4)
