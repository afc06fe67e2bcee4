"""All runs over one recording: policies, links and device profiles, with what they have in common done once.

The recording is decoded once and kept, models and wire remember what they were asked, policies that ask no cloud run
once for all links, and of a run only what is pooled is kept. Each is the run that `vedette replay` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vedette.config import Settings
from vedette.datasets.source_spec import open_recording
from vedette.detections import Detections3D
from vedette.edge.offload.link import OffloadRequest
from vedette.edge.offload.package import usual_package
from vedette.edge.runner import trace_id
from vedette.frames import Frame
from vedette.replay.compared import accuracy, compared_figures, labelled_frames, scored_frame
from vedette.replay.in_memory import InMemoryRecording
from vedette.replay.memo import RememberingWire
from vedette.replay.models import simulated_models
from vedette.replay.network import NO_NETWORK, NetworkModel, parse_network
from vedette.replay.policies import PolicySpec, parse_policies
from vedette.replay.profile import DeviceProfile, load_profile
from vedette.replay.simulate import Simulation
from vedette.replay.stopwatch import Stopwatch
from vedette.replay.truth import read_truth
from vedette.replay.wire import usual_wire

CLOUD_AT_ONCE: Final = "cloud detector at once"
DEVICE_AT_ONCE: Final = "device detector at once"
ANY: Final = "any"
"""Link of runs that need none; link and profile of what takes no time."""


@dataclass(frozen=True)
class Matrix:
    """What is run over every recording.

    Args:
        policies: all of them.
        networks: those that ask the cloud run over each.
        profiles: each policy runs on each.
        detector_score: lowest score at which the bare detectors' boxes count in F1.
    """

    policies: Sequence[PolicySpec]
    networks: Sequence[NetworkModel]
    profiles: Sequence[DeviceProfile]
    detector_score: float

    @classmethod
    def of(cls, policies: Sequence[str], networks: Sequence[str], profiles: Sequence[str], score: float) -> Matrix:
        """Read the names as `vedette replay` reads them.

        Raises:
            VedetteError: an unknown name.
        """
        return cls(
            parse_policies(policies),
            [parse_network(network) for network in networks],
            [load_profile(Path(profile)) for profile in profiles],
            score,
        )


class SourceRuns:
    """The runs of one recording.

    Args:
        source: as `vedette replay` takes it.
        matrix: what to run.
        settings: of both halves.
    """

    def __init__(self, source: str, matrix: Matrix, settings: Settings) -> None:
        with closing(open_recording(source)) as recording:
            self._recording = InMemoryRecording(recording)
        self._source = source
        self._matrix = matrix
        self._settings = settings
        self._truth = read_truth(self._recording)
        # the device's own detector is a row too, whether or not a policy runs it
        policies = [*matrix.policies, *parse_policies(["edge-only"])]
        self._models = simulated_models(policies, settings, Stopwatch())
        offload = settings.edge.offload
        self._wire = RememberingWire(
            usual_wire(offload, self._models.in_cloud.name),
            usual_package(offload.codec, camera_view_only=offload.camera_view_only),
        )

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The figures of every run, and of the detectors alone."""
        yield self._at_once(CLOUD_AT_ONCE, self._seen_by_cloud)
        yield self._at_once(DEVICE_AT_ONCE, self._seen_by_device)
        no_network = parse_network(NO_NETWORK)
        for profile in self._matrix.profiles:
            for policy in self._matrix.policies:
                if policy.needs_cloud:
                    for network in self._matrix.networks:
                        yield self._run(policy, network, profile) | {"network": network.spec}
                else:
                    yield self._run(policy, no_network, profile) | {"network": ANY}

    def _run(self, policy: PolicySpec, network: NetworkModel, profile: DeviceProfile) -> dict[str, Any]:
        models = self._models
        simulation = Simulation(
            self._recording,
            self._settings.edge,
            network,
            profile,
            models.detector2d,
            models.on_device,
            models.usual,
            models.in_cloud,
            self._wire,
        )
        record = simulation.run(policy, self._truth[0].stamp_ns, Stopwatch(), lambda: None)
        return self._named(compared_figures(record, self._truth)) | {"profile": profile.name}

    def _at_once(self, name: str, see: Callable[[Frame], Detections3D]) -> dict[str, Any]:
        """A detector on every frame, with its boxes there at the capture."""
        frames = {item.index: item for item in self._recording if isinstance(item, Frame)}
        scored = [
            scored_frame(true, see(frames[true.index]) if true.index in frames else None, true.camera)
            for true in labelled_frames(self._truth)
        ]
        figures = {"policy": name, "frames": len(self._truth), **accuracy(scored, self._matrix.detector_score)}
        return self._named(figures) | {"network": ANY, "profile": ANY}

    def _named(self, figures: dict[str, Any]) -> dict[str, Any]:
        return {"source": self._source, **figures}

    def _seen_by_cloud(self, frame: Frame) -> Detections3D:
        """From the message that it would be sent."""
        if frame.sweep is None:
            return Detections3D.empty()
        never_ns = frame.stamp_ns + 1
        request = OffloadRequest(frame.index, frame.stamp_ns, never_ns, frame.sweep, frame.camera, trace_id(frame))
        return self._models.in_cloud.detect(*self._wire.decode_request(self._wire.encode_request(request)))

    def _seen_by_device(self, frame: Frame) -> Detections3D:
        if frame.sweep is None:
            return Detections3D.empty()
        return self._models.on_device[self._models.usual].detect(frame.sweep, frame.camera)
