"""A publication knows whether it is a frame's own and how old its data is."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.detections import Detections3D
from vedette.publication import Publication


@pytest.mark.parametrize(
    ("basis_ns", "own", "age_ns"), [(100, True, 30), (40, False, 90)], ids=["own data", "propagated"]
)
def test_latency_and_age(basis_ns: int, own: bool, age_ns: int) -> None:
    """Latency counts from the frame's capture, age from that of the newest data used."""
    publication = Publication.empty(3, stamp_ns=100, publish_ns=130, basis_stamp_ns=basis_ns)
    assert publication.latency_ns == 30
    assert publication.age_ns == age_ns
    assert publication.own is own


def test_arrays_must_be_parallel() -> None:
    """One track id, rung and velocity per box."""
    none = np.zeros(0, np.int64)
    with pytest.raises(ValueError, match="0 boxes with 1 track ids"):
        Publication(0, 0, 0, 0, Detections3D.empty(), np.zeros(1, np.int64), (), np.zeros((0, 2)))
    with pytest.raises(ValueError, match="velocities"):
        Publication(0, 0, 0, 0, Detections3D.empty(), none, (), np.zeros((1, 2)))
