"""A spinning LiDAR in the world: one turn, as points in the order of KITTI's files.

    stamp - 50 ms   the device faces backward and starts, counter-clockwise
    stamp           it faces forward: the camera is exposed at this instant
    stamp + 50 ms   it faces backward again

Points are not corrected for motion: each is where the beam met something, in the frame that the sensor had at that
moment, as in KITTI's raw and object data. They are listed ring after ring from the highest down, each from straight
ahead counter-clockwise, which is the order that KITTI's scans show (drive 0001: 64 rings, azimuth 0 to 2π in each).
KITTI's turn takes 103 ms and 2145 columns; ours 100 ms and 2083 at the same rate of firing. Like KITTI's, scans of the
HDL-64E end at 80 m.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

import numpy as np

from vedette.datasets.synth.firing import FiringPattern, evenly_spread, hdl_64e
from vedette.datasets.synth.returns import PERFECT, Echoes, ReturnModel, Unit, echoes, glass_transmission
from vedette.datasets.synth.rig import SensorRig
from vedette.datasets.synth.roof import KITTI_ROOF, Shadow, in_shadow
from vedette.datasets.synth.shots import Encounters, encounters
from vedette.datasets.synth.stage import Stage
from vedette.datasets.synth.turn import Turn
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError
from vedette.geometry import NDArrayBool, NDArrayFloat32, NDArrayInt, NDArrayUInt8

PERIOD_S: Final = 0.1
"""Duration of a turn."""
_RANDOM_STREAM: Final = 0x11DA


@dataclass(frozen=True, eq=False)
class LidarModel:
    """A kind of device.

    Args:
        name: of the kind.
        pattern: of its shots in a turn.
        returns: how it answers.
        near_m: nothing nearer is reported.
        far_m: nothing farther is reported.
        panes_pass: whether shots may pass the glass of vehicles; otherwise it is as solid as the rest.
        shadows: what the vehicle it is mounted on takes from its view.
    """

    name: str
    pattern: FiringPattern
    returns: ReturnModel = field(default_factory=ReturnModel)
    near_m: float = 0.9
    far_m: float = 80.0
    panes_pass: bool = True
    shadows: tuple[Shadow, ...] = ()

    @cached_property
    def free(self) -> NDArrayBool:
        """``(C,B) bool`` which shots leave the vehicle."""
        return ~in_shadow(self.pattern, self.shadows)


HDL_64E: Final = LidarModel("HDL-64E", hdl_64e(unit=0, columns=2083), shadows=KITTI_ROOF)
"""The LiDAR of KITTI's platform, and where that platform is in its way."""
IDEAL_HDL_64E: Final = LidarModel("ideal HDL-64E", hdl_64e(unit=0, columns=2083), PERFECT, panes_pass=False)
"""The same shots without any error: for tests, and for labels that must not depend on chance."""
OPV2V_64: Final = LidarModel(
    "OPV2V 64",
    evenly_spread(64, -25.0, 2.0, columns=2048),
    ReturnModel(range_noise_m=0.02, beam_bias_m=0.0, range_step_m=0.0, threshold=0.0005, weak=0.0, divergence_rad=0.0),
    far_m=120.0,
)
"""The LiDAR of OPV2V's vehicles: 64 beams from +2 to -25 degrees, 120 m, 2 cm of noise (Xu et al., ICRA 2022)."""


@dataclass(frozen=True, eq=False)
class Scan:
    """One turn.

    Args:
        points_velo: ``(N,4) float32`` x, y, z in the sensor's frame at each firing, intensity in [0, 1].
        rings: ``(N,) uint8`` which beam, from 0, the highest.
        owners: ``(N,) int64`` id of the actor that was hit, or `NOBODY`.
        offsets_ns: ``(N,) int64`` when each shot was fired, from the stamp.
    """

    points_velo: NDArrayFloat32
    rings: NDArrayUInt8
    owners: NDArrayInt
    offsets_ns: NDArrayInt

    def __len__(self) -> int:
        return len(self.points_velo)


class LidarSensor:
    """LiDARs on the connected vehicles of a world.

    Args:
        world: the world.
        model: the kind of device, on all vehicles.
        stage: the world made ready, where several sensors share it.

    Raises:
        MissingPackageError: Open3D is not installed.
    """

    def __init__(self, world: World, model: LidarModel = HDL_64E, stage: Stage | None = None) -> None:
        self._model = model
        self._stage = stage or Stage(world)

    def scan(self, actor_id: int, t_s: float, rig: SensorRig, seed: int) -> Scan:
        """Turn once.

        Args:
            actor_id: the vehicle that carries the sensor; its own body is never hit.
            t_s: the middle of the turn, when the sensor faces forward; half a turn from either end of the world.
            rig: where the sensor sits.
            seed: of the noise; the same seed, vehicle and time give the same bytes.

        Raises:
            ConfigError: no connected vehicle, or a turn that begins before or ends after the world.
        """
        self._stage.check_sensor(actor_id)
        self._check_time(t_s)
        model = self._model
        rng = np.random.default_rng([seed, actor_id, round(t_s * 1000), _RANDOM_STREAM])
        passes = partial(self._pass_panes, rng)
        turn = Turn(self._stage, actor_id, rig, t_s, PERIOD_S, model.pattern, model.far_m, passes)
        met = encounters(turn)
        # each vehicle carries its own device
        unit = Unit.draw(model.returns, model.pattern.beams, actor_id)
        answer = echoes(met, model.returns, unit, 2 * np.pi / model.pattern.columns, rng)
        return self._scan(turn, met, answer)

    def _pass_panes(self, rng: np.random.Generator, count: int) -> NDArrayBool:
        share = glass_transmission() if self._model.panes_pass else 0.0
        return np.asarray(rng.random(count) < share)

    def _check_time(self, t_s: float) -> None:
        world = self._stage.world
        half = PERIOD_S / 2
        # a nanosecond of slack: times are sums of tenths
        if not half - 1e-9 <= t_s <= world.duration_s - half + 1e-9:
            raise ConfigError(
                f"world {world.name}: a turn around {t_s:g} s; expected {half:g} to {world.duration_s - half:g} s, as"
                f" the world lasts from 0 to {world.duration_s:g} s"
            )

    def _scan(self, turn: Turn, met: Encounters, answer: Echoes) -> Scan:
        pattern = turn.pattern
        reported = (
            answer.noticed
            & self._model.free
            & (answer.range_m >= self._model.near_m)
            & (answer.range_m <= self._model.far_m)
        )
        # `take` copies several times faster than an index of rows does
        shots = pattern.file_order.compress(reported.ravel().take(pattern.file_order))
        columns, beams = np.divmod(shots, pattern.beams)
        points = np.empty((len(shots), 4), dtype=np.float32)
        points[:, :3] = pattern.directions.reshape(-1, 3).take(shots, axis=0)
        points[:, :3] *= answer.range_m.ravel().take(shots)[:, None]
        points[:, 2] += pattern.heights_m.astype(np.float32).take(beams)
        points[:, 3] = answer.intensity.ravel().take(shots)
        offsets_ns = np.round(turn.column_offsets_s * 1e9).astype(np.int64)
        return Scan(points, beams.astype(np.uint8), met.owners.ravel().take(shots), offsets_ns.take(columns))
