"""What remembers: simulated policies ask the same model about the same sweeps, a second each, and encode them anew."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from vedette.detections import Detections2D, Detections3D, Detector2D, Detector3D
from vedette.edge.offload.link import OffloadRequest
from vedette.edge.offload.package import Package
from vedette.frames import CameraImage, Sweep
from vedette.geometry import PinholeCamera
from vedette.models.camera_view import in_view
from vedette.replay.simulated_link import Wire

_NOT_CODED: Final = "raw"


class _Digests:
    """Digests of arrays, each computed once while the array lives: nobody changes the arrays of a frame."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes], tuple[weakref.ref[np.ndarray[Any, Any]], bytes]] = {}

    def of(self, array: np.ndarray[Any, Any], also: bytes, content: Callable[[], bytes]) -> bytes:
        """The digest of what an array holds.

        Args:
            array: told from others by its identity.
            also: what else the content depends on.
            content: what is to be digested.
        """
        key = (id(array), also)
        alive, digest = self._known.get(key, (None, b""))
        if alive is None or alive() is not array:
            digest = hashlib.blake2b(content(), digest_size=16).digest()
            self._known[key] = (weakref.ref(array), digest)
        return digest


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
        self._digests = _Digests()
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
        key = self._digests.of(sweep.points_velo, camera.projection_velo.tobytes(), lambda: self._asked(sweep, camera))
        if key not in self._answers:
            self._answers[key] = self._detector.detect(sweep, camera)
        return self._answers[key]

    def _asked(self, sweep: Sweep, camera: PinholeCamera) -> bytes:
        points = sweep.points_velo
        if not self._looks_around:
            points = points.compress(in_view(points, camera), axis=0)
        return points.tobytes() + camera.projection_velo.tobytes()


class RememberingDetector2D:
    """The same for images.

    Args:
        detector: asked once for each input.
    """

    def __init__(self, detector: Detector2D) -> None:
        self._detector = detector
        self._digests = _Digests()
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
        key = self._digests.of(image.pixels_bgr, b"", image.pixels_bgr.tobytes)
        if key not in self._found:
            self._found[key] = self._detector.detect(image)
        return self._found[key]


class RememberingWire:
    """A wire that encodes and decodes each sweep once, for many runs over one recording.

    A frame's trace id is the same in all of them, so that it and the package say what the message is. Points that are
    not coded cost little to pack and much memory: their messages are not kept.

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
