"""What comes back of a shot: whether it is noticed, at what range, how bright.

The link budget, with everything relative to a white wall at 1 m:

    diffuse  =  reflectivity · (1 - gloss)⁴ · (floor + (1 - floor) · cos)
    echo     =  (diffuse + retroreflection) · through^(2·panes) / (1 + (range / knee)²)

Rough surfaces look the same from nearly everywhere, smooth ones mirror most of the light away: KITTI's road has one and
the same intensity near and far, while half the points on its cars have none.

A shot is noticed where the echo, times a log-normal fluctuation, is above the threshold: dark paint at a distance is
lost. The device's calibration takes range out of the intensity again, and cuts off what is weak:

    intensity  =  gain · (diffuse + retroreflection - dark)^power - offset of the beam + retroreflection / 2

Echoes that are noticed but weak have an intensity of 0, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from vedette.datasets.synth.mixed_pixels import mix_edges
from vedette.datasets.synth.shots import Encounters
from vedette.datasets.synth.surfaces import PROPERTIES, Surface
from vedette.geometry import NDArrayBool, NDArrayFloat32

_MID_GREY: Final = 128 / 255
_LEAST_REFLECTIVITY: Final = 0.01
_PANE_THROUGH: Final = 0.8
"""Share of the light that a pane lets through, once."""


@dataclass(frozen=True)
class ReturnModel:
    """How a device answers; the defaults are those of an HDL-64E, fitted to KITTI's scans by eye.

    Args:
        range_noise_m: standard deviation of the range of a strong echo; faint ones have more, to 2.4 times as much at
            the threshold. KITTI's ranges on the road differ by 8 to 9 mm from those of the shots beside them.
        beam_bias_m: standard deviation of each beam's own error of range.
        range_step_m: resolution of ranges.
        threshold: echo that half of the shots are noticed at; raising it shortens the range on everything.
        weak: echo below which the intensity is 0.
        fluctuation: standard deviation of the logarithm of an echo.
        knee_m: up to about here the optics, out of focus, make up for the nearness.
        rough_floor: share of the reflectivity that rough surfaces keep at grazing incidence.
        smooth_floor: the same of surfaces with any gloss.
        divergence_rad: width of a beam.
        pulse_m: echoes nearer together than this merge.
        intensity_gain: of what comes back.
        intensity_dark: what comes back at an intensity of 0.
        intensity_power: how the intensity rises with what comes back; below 1 it flattens.
        intensity_noise: standard deviation of the logarithm of an intensity.
        beam_gain_noise: the same of each beam's calibration.
        beam_offset: mean of what a beam's calibration takes off too much; for most beams less, for a few far more.
        intensity_step: resolution of intensities.
    """

    range_noise_m: float = 0.009
    beam_bias_m: float = 0.01
    range_step_m: float = 0.002
    threshold: float = 0.003
    weak: float = 0.015
    fluctuation: float = 0.5
    knee_m: float = 12.0
    rough_floor: float = 0.7
    smooth_floor: float = 0.05
    divergence_rad: float = 0.0024
    pulse_m: float = 1.5
    intensity_gain: float = 0.57
    intensity_dark: float = 0.07
    intensity_power: float = 0.27
    intensity_noise: float = 0.12
    beam_gain_noise: float = 0.15
    beam_offset: float = 0.04
    intensity_step: float = 0.01


PERFECT: Final = ReturnModel(
    range_noise_m=0.0,
    beam_bias_m=0.0,
    range_step_m=0.0,
    threshold=0.0,
    weak=0.0,
    divergence_rad=0.0,
    intensity_noise=0.0,
    beam_gain_noise=0.0,
    beam_offset=0.0,
    intensity_step=0.0,
)
"""Everything that is met returns, where it is."""


@dataclass(frozen=True, eq=False)
class Unit:
    """One device's own errors.

    Args:
        bias_m: ``(B,) float32`` added to each beam's ranges.
        gain: ``(B,) float32`` that each beam's intensities are multiplied by.
        offset: ``(B,) float32`` taken off each beam's intensities.
    """

    bias_m: NDArrayFloat32
    gain: NDArrayFloat32
    offset: NDArrayFloat32

    @classmethod
    def draw(cls, model: ReturnModel, beams: int, unit: int) -> Unit:
        """The errors of a device.

        Args:
            model: of the devices.
            beams: how many beams it has.
            unit: which device.
        """
        rng = np.random.default_rng([unit, beams, 1])
        bias = rng.normal(size=beams) * model.beam_bias_m
        gain = np.exp(rng.normal(size=beams) * model.beam_gain_noise)
        offset = rng.exponential(size=beams) * model.beam_offset
        return cls(bias.astype(np.float32), gain.astype(np.float32), offset.astype(np.float32))


@dataclass(frozen=True, eq=False)
class Echoes:
    """What the device reports of the shots.

    Args:
        noticed: ``(C,B) bool``.
        range_m: ``(C,B) float32``, infinite where nothing was met.
        intensity: ``(C,B) float32`` 0 to 1.
    """

    noticed: NDArrayBool
    range_m: NDArrayFloat32
    intensity: NDArrayFloat32


def echoes(met: Encounters, model: ReturnModel, unit: Unit, step_rad: float, rng: np.random.Generator) -> Echoes:
    """What comes back.

    Args:
        met: what the shots met.
        model: how the device answers.
        unit: its own errors.
        step_rad: angle between neighbouring columns.
        rng: fluctuations and noise.
    """
    returned = _returned(met, model)
    fluctuation = np.exp(rng.standard_normal(returned.shape, dtype=np.float32) * np.float32(model.fluctuation))
    echo = returned * fluctuation / (1 + np.square(met.range_m / np.float32(model.knee_m)))
    noise_m = rng.standard_normal(returned.shape, dtype=np.float32) * _range_noise_m(echo, model)
    range_m = mix_edges(met.range_m, model.divergence_rad, model.pulse_m, step_rad, rng) + unit.bias_m + noise_m
    if model.range_step_m:
        range_m = np.round(range_m / np.float32(model.range_step_m)) * np.float32(model.range_step_m)
    intensity = np.where(echo < model.weak, np.float32(0), _intensity(met, returned, model, unit, rng))
    return Echoes(_noticed(met, echo, model, rng), range_m, intensity)


def _range_noise_m(echo: NDArrayFloat32, model: ReturnModel) -> NDArrayFloat32:
    """(C,B) standard deviations; where nothing was met, the echo is 0 and any will do."""
    faint = np.float32(model.weak) / np.maximum(echo, np.float32(max(model.threshold, 1e-6)))
    return np.asarray(np.float32(model.range_noise_m) * np.sqrt(1 + faint))


def _returned(met: Encounters, model: ReturnModel) -> NDArrayFloat32:
    """(C,B) share of the light that comes back, range left out; a white wall met head-on is 1."""
    table = _answers()
    weight = table.colour_weight[met.surfaces]
    rho = table.reflectivity[met.surfaces] * (1 - weight + weight * (met.brightness / np.float32(_MID_GREY)))
    smooth = table.smooth[met.surfaces]
    floor = np.where(smooth, np.float32(model.smooth_floor), np.float32(model.rough_floor))
    diffuse = np.clip(rho, _LEAST_REFLECTIVITY, 1.0) * table.kept[met.surfaces] * (floor + (1 - floor) * met.cosines)
    through = (np.float32(_PANE_THROUGH) ** (2 * np.arange(256, dtype=np.float32)))[met.panes]
    return np.asarray((diffuse + table.retroreflection[met.surfaces]) * through, dtype=np.float32)


def _noticed(met: Encounters, echo: NDArrayFloat32, model: ReturnModel, rng: np.random.Generator) -> NDArrayBool:
    noticed = np.isfinite(met.range_m) & (echo > model.threshold)
    if model.threshold:
        # what enters a pane and does not come out is lost: panes mirror, and rooms are dark
        lost = _answers().lost[met.surfaces]
        noticed &= rng.random(echo.shape, dtype=np.float32) >= lost
    return np.asarray(noticed)


def _intensity(
    met: Encounters, returned: NDArrayFloat32, model: ReturnModel, unit: Unit, rng: np.random.Generator
) -> NDArrayFloat32:
    noise = np.exp(rng.standard_normal(returned.shape, dtype=np.float32) * np.float32(model.intensity_noise))
    above = np.maximum(returned - np.float32(model.intensity_dark), 0)
    diffuse = np.float32(model.intensity_gain) * above ** np.float32(model.intensity_power) * unit.gain * noise
    intensity = diffuse - unit.offset + _answers().retroreflection[met.surfaces] / 2
    if model.intensity_step:
        intensity = np.round(intensity / np.float32(model.intensity_step)) * np.float32(model.intensity_step)
    return np.asarray(np.clip(intensity, 0, 1), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class _Answers:
    """Of each surface, by its number."""

    reflectivity: NDArrayFloat32
    colour_weight: NDArrayFloat32
    retroreflection: NDArrayFloat32
    smooth: NDArrayBool
    kept: NDArrayFloat32
    lost: NDArrayFloat32


@cache
def _answers() -> _Answers:
    order = sorted(Surface)
    rows = [PROPERTIES[surface] for surface in order]
    gloss = np.array([row.gloss for row in rows], dtype=np.float32)
    windows = [row.transmission if surface is Surface.WINDOW else 0.0 for surface, row in zip(order, rows, strict=True)]
    return _Answers(
        reflectivity=np.array([row.reflectivity for row in rows], dtype=np.float32),
        colour_weight=np.array([row.colour_weight for row in rows], dtype=np.float32),
        retroreflection=np.array([row.retroreflection for row in rows], dtype=np.float32),
        smooth=gloss > 0,
        kept=(1 - gloss) ** 4,
        lost=np.array(windows, dtype=np.float32),
    )


def glass_transmission() -> float:
    """Share of shots that pass a vehicle's pane."""
    return PROPERTIES[Surface.CAR_GLASS].transmission
