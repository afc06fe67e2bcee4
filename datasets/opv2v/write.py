"""Writing a scenario in OPV2V's layout, instant by instant."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from vedette.datasets.instants import ConnectedFrame, Instant
from vedette.datasets.opv2v.documents import format_document
from vedette.datasets.opv2v.pcd import write_pcd
from vedette.datasets.writing import new_folder, write_image
from vedette.yaml_text import dump_plain_yaml


def write_opv2v(instants: Iterable[Instant], folder: Path, *, world: str) -> Path:
    """Write a scenario.

    Args:
        instants: one at a time is kept in memory.
        folder: not there yet, or empty.
        world: its name, for ``data_protocol.yaml``.

    Returns:
        The scenario's folder, named by the time of its first instant.

    Raises:
        ConfigError: the folder is not empty or cannot be written, or there is no instant.
        DataError: a frame of an instant cannot be used.
    """
    name = ""
    with new_folder(folder) as unfinished:
        for instant in instants:
            for bad_frame in instant.bad_frames.values():
                raise bad_frame.error
            if not name:
                name = _scenario_name(instant.stamp_ns)
                _write_protocol(unfinished / name, instant, world)
            for connected in instant.frames:
                _write_frame(unfinished / name / str(connected.vehicle_id), connected)
    return folder / name


def _scenario_name(stamp_ns: int) -> str:
    return str(np.datetime64(stamp_ns // 1_000_000_000, "s")).translate(str.maketrans("-T:", "___"))


def _write_protocol(folder: Path, first: Instant, world: str) -> None:
    """OPV2V keeps the simulation's settings there; readers of the data pass over it."""
    content = {
        "world": world,
        "rate_hz": 10,
        "axes": "left-handed: x forward, y right, z up; degrees",
        "vehicles": [connected.vehicle_id for connected in first.frames],
    }
    folder.mkdir()
    (folder / "data_protocol.yaml").write_text(dump_plain_yaml(content), encoding="utf-8")


def _write_frame(folder: Path, connected: ConnectedFrame) -> None:
    folder.mkdir(exist_ok=True)
    frame = connected.frame
    stem = f"{frame.index:06d}"
    (folder / f"{stem}.yaml").write_text(format_document(connected), encoding="utf-8")
    if frame.sweep is not None:
        points = frame.sweep.points_velo.copy()
        points[:, 1] = -points[:, 1]
        write_pcd(folder / f"{stem}.pcd", points)
    if frame.image is not None:
        write_image(folder / f"{stem}_camera0.png", frame.image.pixels_bgr)
