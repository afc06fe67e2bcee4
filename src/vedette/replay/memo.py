"""What remembers: simulated policies ask the same model about the same sweeps, a second each, and encode them anew."""

from __future__ import annotations

import hashlib

from typing import Final

from vedette.detections import Detections2D, Detections3D, Detector2D, Detector3D
from vedette.edge.offload.link import OffloadRequest
from vedette.edge.offload.package import Package
from vedette.frames import CameraImage, Sweep
from vedette.geometry import PinholeCamera
from vedette.models.camera_view import in_view
from vedette.replay.simulated_link import Wire

_NOT_CODED: Final = "raw"


class RememberingDetector:
    """Gives the same answer to the same points without asking again. Models are pure, so nothing else changes.

    Args:
        detector: asked once for each input.
        looks_around: whether its answer depends on points that the camera does not see; where it does not, a whole
            sweep and its cut to the camera's view are one question.
    """

    def __init__(self, detector: Detector3D, *, looks_around: bool = False) -> None:
        self._detector = detector
        self._looks_around = looks_around
        self._answers: dict[bytes, Detections3D] = {}

    @property
    def name(self) -> str:
        """Of the detector."""
        return self._detector.name

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        """The answer, from memory where there is one.

        Raises:
            ModelError: the model failed on this input.
        """
        points = sweep.points_velo
        if not self._looks_around:
            points = points.compress(in_view(points, camera), axis=0)
        digest = hashlib.blake2b(points.tobytes(), digest_size=16)
        digest.update(camera.projection_velo.tobytes())
        key = digest.digest()
        if key not in self._answers:
            self._answers[key] = self._detector.detect(sweep, camera)
        return self._answers[key]


class RememberingDetector2D:
    """The same for images.

    Args:
        detector: asked once for each input.
    """

    def __init__(self, detector: Detector2D) -> None:
        self._detector = detector
        self._found: dict[bytes, Detections2D] = {}

    @property
    def name(self) -> str:
        """Of the detector."""
        return self._detector.name

    def detect(self, image: CameraImage) -> Detections2D:
        """What it found, from memory where there is something.

        Raises:
            ModelError: the model failed on this input.
        """
        key = hashlib.blake2b(image.pixels_bgr.tobytes(), digest_size=16).digest()
        if key not in self._found:
            self._found[key] = self._detector.detect(image)
        return self._found[key]


class RememberingWire:
    """A wire that encodes and decodes each sweep once, for many runs over one recording.

    A frame's trace id is the same in all of them, so that it and the package say what the message is. Sweeps as they are
    cost little to pack, and a hundred times the memory: they are not kept.

    Args:
        wire: does the work.
        usual: how requests are packed that do not say.
    """

    def __init__(self, wire: Wire, usual: Package) -> None:
        self._wire = wire
        self._usual = usual
        self._messages: dict[tuple[str, str, str, bytes], bytes] = {}
        self._sweeps: dict[bytes, tuple[Sweep, PinholeCamera]] = {}

    def encode_request(self, request: OffloadRequest) -> bytes:
        """The message, from memory where it is there.

        Raises:
            VedetteError: the request cannot be sent.
        """
        package = request.package or self._usual
        if package.codec == _NOT_CODED:
            return self._wire.encode_request(request)
        regions = b"" if package.regions_px is None else package.regions_px.tobytes()
        key = (request.trace_id, str(package.view), package.codec, regions)
        if key not in self._messages:
            message = self._messages[key] = self._wire.encode_request(request)
            self._sweeps[message] = self._wire.decode_request(message)
        return self._messages[key]

    def decode_request(self, message: bytes) -> tuple[Sweep, PinholeCamera]:
        """What the server sees of it; likewise."""
        return self._sweeps[message] if message in self._sweeps else self._wire.decode_request(message)

    def encode_answer(self, detections: Detections3D) -> bytes:
        """The server's message."""
        return self._wire.encode_answer(detections)

    def decode_answer(self, message: bytes) -> Detections3D:
        """What the device sees of it."""
        return self._wire.decode_answer(message)
