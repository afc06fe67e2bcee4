"""One turn of a sensor: where it is at each of its columns, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vedette.datasets.synth.firing import FiringPattern
from vedette.datasets.synth.rig import SensorRig
from vedette.datasets.synth.stage import Stage
from vedette.datasets.synth.track import Track, track_of
from vedette.geometry import NDArrayBool, NDArrayFloat


@dataclass(frozen=True, eq=False)
class Turn:
    """One turn of a sensor in the world.

    Args:
        stage: the world.
        actor_id: who carries the sensor.
        rig: where it sits.
        t_s: when it faces forward, seconds since the world's beginning.
        period_s: duration of the turn.
        pattern: of its shots.
        far_m: nothing farther is of interest.
        passes: given how many shots have just met a pane of glass, which of them go on.
    """

    stage: Stage
    actor_id: int
    rig: SensorRig
    t_s: float
    period_s: float
    pattern: FiringPattern
    far_m: float
    passes: Callable[[int], NDArrayBool]

    @cached_property
    def column_offsets_s(self) -> NDArrayFloat:
        """``(C,)`` when each column fires, from `t_s`."""
        return self.pattern.column_azimuths * (self.period_s / (2 * np.pi))

    @cached_property
    def track(self) -> Track:
        """`world_SE3_sensor` at each column."""
        motion = self.stage.world.by_id[self.actor_id].motion
        carrier = track_of(motion.pose, self.t_s + self.column_offsets_s)
        mount = self.rig.actor_SE3_velo
        turned = carrier.rotations @ mount.rotation
        return Track(turned, carrier.rotations @ mount.translation + carrier.translations)

    def column_at(self, azimuth: float) -> int:
        """The column that faces there; the first or last for what lies beyond the turn."""
        share = azimuth / (2 * np.pi) + 0.5
        return min(max(int(share * self.pattern.columns), 0), self.pattern.columns - 1)
