"""The seam between the server and whatever runs the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from vedette.cloud.budget import Budget
from vedette.detections import Detections3D
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera


@dataclass(frozen=True)
class Inference:
    """What a model answered.

    Args:
        detections: best score first.
        stage_ms: milliseconds by stage: ``queue``, ``detect3d``.
    """

    detections: Detections3D
    stage_ms: Mapping[str, float]


class InferenceEngine(Protocol):
    """Runs a 3D detector for many requests at once."""

    @property
    def model_name(self) -> str:
        """Name and version of the model that answers."""
        ...

    @property
    def max_queue(self) -> int:
        """Requests that may wait."""
        ...

    @property
    def queue_length(self) -> int:
        """Requests that wait now."""
        ...

    async def start(self) -> None:
        """Get ready; returns once the model has answered for the first time.

        Raises:
            ModelError: it did not.
        """
        ...

    async def detect(self, sweep: Sweep, camera: PinholeCamera, budget: Budget) -> Inference:
        """Wait for a turn, then detect. Cancelling it gives up the turn.

        Args:
            sweep: the points.
            camera: the answer covers its view.
            budget: checked before the detection begins.

        Raises:
            OverloadedError: too many are waiting; said at once.
            DeadlineError: the budget ran out before its turn came.
            LinkUnavailableError: the engine is stopping.
            ModelError: the model failed on this input.
        """
        ...

    async def close(self) -> None:
        """Refuse what waits, finish what runs, and release everything."""
        ...
