"""Keys about somebody else's pillar network."""

import pytest
from pydantic import ValidationError

from vedette.models.pillar_keys import AnchorClass, PillarGrid

AUTOWARE = {"range_m": [-76.8, -76.8, -4, 76.8, 76.8, 6], "pillar_m": [0.32, 0.32, 10], "max_points": 32}


def test_published_grids():
    """Of Autoware and of OpenPCDet for KITTI; the decimals are no whole multiples of each other in binary."""
    autoware = PillarGrid(**AUTOWARE, max_pillars=40000)
    assert (autoware.columns, autoware.rows) == (480, 480)
    kitti = PillarGrid(
        range_m=(0, -39.68, -3, 69.12, 39.68, 1), pillar_m=(0.16, 0.16, 4), max_points=32, max_pillars=40000
    )
    assert (kitti.columns, kitti.rows) == (432, 496)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"pillar_m": [0.33, 0.32, 10]}, "x: 153.6 m are 465.455 pillars; expected a whole number"),
        ({"pillar_m": [0.32, 0.32, 5]}, "z: a pillar is 5 m high; expected the height of the range"),
        ({"pillar_m": [0.32, -0.32, 10]}, "y: from -76.8 to 76.8 in steps of -0.32; expected an upward range"),
        ({"range_m": [5, 0, 0, -5, 1, 1]}, "x: from 5 to -5"),
        ({"range_m": [0, 0, 0, float("nan"), 1, 1]}, "finite number"),
        ({"max_points": 0}, "greater than 0"),
        ({"rows": 9}, "Extra inputs"),
    ],
)
def test_grids_that_are_none(changes, says):
    """Said by axis."""
    with pytest.raises(ValidationError, match=says):
        PillarGrid(**{**AUTOWARE, "max_pillars": 1, **changes})


def test_anchors_have_a_volume():
    """A logarithm of their sizes is taken."""
    with pytest.raises(ValidationError, match="expected lengths above 0"):
        AnchorClass(sizes_m=((3.9, 0.0, 1.5),), bottom_m=-1.78)
