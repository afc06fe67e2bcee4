"""Our values through the wire and back, and every field refused when it is wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from vedette.codecs.sweep import sweep_codec
from vedette.detections import Detections3D
from vedette.errors import (
    CorruptBlobError,
    InvalidFrameError,
    InvalidMessageError,
    SchemaVersionError,
    UnknownCodecError,
)
from vedette.frames import Sweep
from vedette.geometry import SE3, PinholeCamera
from vedette.protos.arrays import array_from_proto, array_to_proto
from vedette.protos.convert import (
    camera_from_proto,
    camera_to_proto,
    detect_request_from,
    detect_response_from,
    detections_from,
    sweep_and_camera_from,
)
from vedette.protos.v1alpha1 import common_pb2
from vedette.protos.v1alpha1.detection_pb2 import DetectSweepRequest, DetectSweepResponse

TRACE_ID = "0123456789abcdef0123456789abcdef"
AXES = SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.array([0.1, -0.2, 0.3]))
CAMERA = PinholeCamera(np.array([[721.5, 0, 609.6, 44.9], [0, 721.5, 172.9, 0.2], [0, 0, 1, 0.003]]), AXES, 1242, 375)
SWEEP = Sweep(np.array([[10, 0, -1, 0.5], [12.5, 1, -1.5, 0]], np.float32), 100, 200)
DETECTIONS = Detections3D(
    np.array([[10.1, -2.2, -0.9, 4.1, 1.7, 1.5, -3.1], [30, 5, -1, 4, 1.8, 1.6, 0.1]]),
    np.array([0.9, 1 / 3]),
    np.array([0, 7]),
)


def request(codec: str = "raw") -> DetectSweepRequest:
    encoded = sweep_codec(codec).encode(SWEEP)
    return detect_request_from(encoded, 100, 200, CAMERA, trace_id=TRACE_ID, capture_time_ns=150)


def response() -> DetectSweepResponse:
    return detect_response_from(
        DETECTIONS, trace_id=TRACE_ID, capture_time_ns=150, model="m", stage_ms={"queue": 1.0}, total_ms=2.0
    )


@pytest.mark.parametrize("codec", ["raw", "polar"])
def test_a_request_carries_sweep_and_camera(codec: str) -> None:
    """Through bytes and back, within what the codec promises."""
    sweep, camera = sweep_and_camera_from(DetectSweepRequest.FromString(request(codec).SerializeToString()))
    bound_m = sweep_codec(codec).max_position_error_m
    np.testing.assert_allclose(sweep.points_velo[:, :3], SWEEP.points_velo[:, :3], rtol=0, atol=bound_m)
    assert (sweep.start_ns, sweep.end_ns) == (100, 200)
    np.testing.assert_array_equal(camera.projection, CAMERA.projection)
    np.testing.assert_array_equal(camera.cam_SE3_velo.matrix, CAMERA.cam_SE3_velo.matrix)
    assert (camera.width_px, camera.height_px) == (1242, 375)


def test_an_answer_carries_detections_bit_for_bit() -> None:
    """Scores and boxes are those of the detector."""
    detections = detections_from(DetectSweepResponse.FromString(response().SerializeToString()))
    np.testing.assert_array_equal(detections.boxes_velo, DETECTIONS.boxes_velo)
    np.testing.assert_array_equal(detections.scores, DETECTIONS.scores)
    np.testing.assert_array_equal(detections.class_ids, DETECTIONS.class_ids)


def test_an_answer_may_be_empty() -> None:
    """Nothing seen is an answer."""
    message = detect_response_from(
        Detections3D.empty(), trace_id=TRACE_ID, capture_time_ns=1, model="m", stage_ms={}, total_ms=0
    )
    assert len(detections_from(message)) == 0


def edit_request(change: Callable[[DetectSweepRequest], object]) -> DetectSweepRequest:
    message = request()
    change(message)
    return message


def mixed_up(message: DetectSweepRequest) -> None:
    """A camera with the LiDAR's axes."""
    message.camera.cam_se3_velo[:] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda m: m.ClearField("sweep"), InvalidMessageError, "no sweep"),
        (lambda m: m.ClearField("camera"), InvalidMessageError, "no camera"),
        (lambda m: m.camera.projection.pop(), InvalidMessageError, "11 elements; expected 12"),
        (lambda m: m.camera.cam_se3_velo.append(0), InvalidMessageError, "13 elements; expected 12"),
        (lambda m: m.camera.cam_se3_velo.__setitem__(0, 2.0), InvalidMessageError, "not a calibration"),
        (lambda m: m.camera.projection.__setitem__(0, float("nan")), InvalidMessageError, "not a calibration"),
        (mixed_up, InvalidMessageError, "looks along the ground"),
        (lambda m: setattr(m.camera, "width_px", 0), InvalidMessageError, "not a calibration"),
        (lambda m: setattr(m.sweep, "codec", "draco"), UnknownCodecError, "draco"),
        (lambda m: setattr(m.sweep, "codec_version", 9), UnknownCodecError, "version 9"),
        (lambda m: setattr(m.sweep, "point_count", 0), CorruptBlobError, "0 points"),
        (lambda m: setattr(m.sweep, "point_count", 2**32 - 1), CorruptBlobError, "4294967295 points"),
        (lambda m: setattr(m.sweep, "data", b"garbage"), CorruptBlobError, "7 bytes"),
        (lambda m: setattr(m.sweep, "end_ns", 1), InvalidFrameError, "before it starts"),
    ],
)
def test_wrong_requests_are_refused(
    change: Callable[[DetectSweepRequest], object], error: type[Exception], text: str
) -> None:
    """Each field, with the cause in the text."""
    with pytest.raises(error, match=text):
        sweep_and_camera_from(edit_request(change))


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda m: m.ClearField("detections"), InvalidMessageError, "no detections"),
        (lambda m: setattr(m.header, "schema_version", 2), SchemaVersionError, "version 2"),
        (lambda m: setattr(m.detections.scores, "data", b""), InvalidMessageError, "0 bytes; expected 16"),
        (
            lambda m: m.detections.scores.CopyFrom(array_to_proto(np.ones(3))),
            InvalidMessageError,
            r"scores has shape \(3,\); expected \(2\)",
        ),
        (
            lambda m: m.detections.boxes_velo.CopyFrom(array_to_proto(np.ones((2, 7), np.float32))),
            InvalidMessageError,
            "dtype float32; expected float64",
        ),
        (
            lambda m: m.detections.boxes_velo.CopyFrom(array_to_proto(np.full((2, 7), np.nan))),
            InvalidMessageError,
            "finite",
        ),
        (
            lambda m: m.detections.class_ids.CopyFrom(array_to_proto(np.array([0, 8], np.uint8))),
            InvalidMessageError,
            "class ids",
        ),
    ],
)
def test_wrong_answers_are_refused(
    change: Callable[[DetectSweepResponse], object], error: type[Exception], text: str
) -> None:
    """A broken server does not get past the border either."""
    message = response()
    change(message)
    with pytest.raises(error, match=text):
        detections_from(message)


def test_yaw_is_wrapped_at_the_border() -> None:
    """Others may count headings from 0 to 2 pi."""
    message = response()
    turned = DETECTIONS.boxes_velo.copy()
    turned[:, 6] = [7.0, np.pi]
    message.detections.boxes_velo.CopyFrom(array_to_proto(turned))
    np.testing.assert_allclose(detections_from(message).boxes_velo[:, 6], [7 - 2 * np.pi, -np.pi])


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32", "int64", "float32", "float64", ">i4", ">f8"])
@pytest.mark.parametrize("shape", [(0,), (3,), (0, 7), (2, 3), (2, 1, 3, 2)])
def test_arrays_come_back(dtype: str, shape: tuple[int, ...]) -> None:
    """Every dtype and shape, empty ones and foreign byte orders included, little-endian on the wire."""
    array = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    message = array_to_proto(array)
    assert message.data == array.astype(array.dtype.newbyteorder("<")).tobytes()
    read = array_from_proto(message, "x", array.dtype.newbyteorder("=").name, shape)
    np.testing.assert_array_equal(read, array)
    assert read.dtype.isnative


def test_arrays_of_columns_are_written_in_rows() -> None:
    """Whatever the memory layout."""
    array = np.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(array_from_proto(array_to_proto(array), "x", "float64", (3, 2)), array)


@pytest.mark.parametrize("array", [np.array(1.0), np.zeros((1,) * 5), np.zeros(2, bool), np.zeros(2, complex)])
def test_arrays_the_wire_does_not_carry(array: np.ndarray) -> None:
    """Scalars, five dimensions, other dtypes."""
    with pytest.raises(InvalidMessageError, match="expected one of"):
        array_to_proto(array)


def test_unknown_element_types_are_refused() -> None:
    """Of a newer schema, say; proto3 enums are open."""
    message = common_pb2.Array(data=b"", dtype=99, shape=[0])  # type: ignore[arg-type]
    with pytest.raises(InvalidMessageError, match="dtype 99; expected float64"):
        array_from_proto(message, "x", "float64", (None,))


def test_huge_shapes_do_not_overflow() -> None:
    """The product of four large lengths is not computed modulo anything."""
    message = common_pb2.Array(data=b"", dtype=common_pb2.ELEMENT_TYPE_UINT8, shape=[2**16] * 4)
    with pytest.raises(InvalidMessageError, match=f"expected {2**64} "):
        array_from_proto(message, "x", "uint8", (None,) * 4)


def test_cameras_come_back() -> None:
    """Digit for digit."""
    camera = camera_from_proto(camera_to_proto(CAMERA))
    np.testing.assert_array_equal(camera.projection_velo, CAMERA.projection_velo)
