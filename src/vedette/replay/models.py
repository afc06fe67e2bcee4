"""The models of a replay on the simulated clock, which remember what they were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vedette.config import Settings
from vedette.detections import Detector2D, Detector3D
from vedette.models.registry import ModelRegistry
from vedette.replay.memo import RememberingDetector, RememberingDetector2D
from vedette.replay.policies import PolicySpec, device_detectors3d
from vedette.replay.stopwatch import Stopwatch, WatchedDetector


@dataclass(frozen=True)
class SimulatedModels:
    """All that runs of some policies look with.

    Args:
        detector2d: None where no policy looks at images.
        on_device: 3D detectors that stand for those on the device, by the name that settings and policies call them.
        usual: name of the usual one of them.
        in_cloud: stands for the one in the cloud; it may be one of those.
    """

    detector2d: Detector2D | None
    on_device: Mapping[str, Detector3D]
    usual: str
    in_cloud: Detector3D


def simulated_models(policies: Sequence[PolicySpec], settings: Settings, watch: Stopwatch) -> SimulatedModels:
    """Load what policies need.

    Args:
        policies: all that are to run.
        settings: name the models.
        watch: takes the times that 3D detections really took.

    Raises:
        ModelError: a model is missing or cannot be used.
    """
    registry = ModelRegistry(settings.models.folder, settings.models.providers, settings.models.threads)
    looks = any(policy.needs_detector2d for policy in policies)
    detector2d = RememberingDetector2D(load_detector2d(registry, settings)) if looks else None
    usual = edge_detector3d(settings)
    on_device = [(name, False) for name in device_detectors3d(policies, usual)]
    in_cloud = (settings.cloud.detector3d, settings.cloud.full_circle)
    detectors = {
        (name, full_circle): RememberingDetector(
            WatchedDetector(registry.load_detector3d(name, full_circle=full_circle), watch), looks_around=full_circle
        )
        for name, full_circle in sorted({*on_device, in_cloud})
    }
    return SimulatedModels(
        detector2d, {name: detectors[name, around] for name, around in on_device}, usual, detectors[in_cloud]
    )


def load_detector2d(registry: ModelRegistry, settings: Settings) -> Detector2D:
    """The 2D detector of the settings.

    Args:
        registry: has it.
        settings: name it, its score threshold and what gives it masks.

    Raises:
        ModelError: it is missing or cannot be used.
    """
    choice = settings.edge.detector2d
    return registry.load_detector2d(choice.model, choice.score_threshold, choice.mask_model)


def edge_detector3d(settings: Settings) -> str:
    """Name of the device's usual 3D detector: the cloud's where the settings name none.

    Args:
        settings: of both halves.
    """
    return settings.edge.detector3d or settings.cloud.detector3d
