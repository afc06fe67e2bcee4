"""Keys of a card that describe somebody else's pillar network, exported in two files that are split at the scatter.

    points ─decorate─► voxel encoder ─► a row per pillar ─scatter─► backbone and head ─► maps ─decode─► boxes

What lies outside the two files differs from project to project, and a wrong choice gives plausible, wrong boxes. So
each choice is a key. `features` and the grid have no defaults; the others default to what the head's usual project
does: Autoware and mmdetection3d before 1.0 for heads of centres, OpenPCDet from 0.3 on for heads of anchors.

Facts: autowarefoundation/autoware_universe, `perception/autoware_lidar_centerpoint/lib` (`preprocess_kernel.cu`,
`postprocess_kernel.cu`, `ros_utils.cpp`); open-mmlab/OpenPCDet, `pcdet` (`pillar_vfe.py`, `anchor_generator.py`,
`box_coder_utils.py`, `anchor_head_template.py`, `center_head.py`).
"""

from __future__ import annotations

import math
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Feature = Literal[
    "x",
    "y",
    "z",
    "intensity",
    "time",
    "from_mean_x",
    "from_mean_y",
    "from_mean_z",
    "from_centre_x",
    "from_centre_y",
    "from_centre_z",
    "distance",
]
"""A number that the encoder gets for each point: its coordinates; its intensity; its age, which is 0 (one sweep);
its offset from the mean of the points in its pillar; its offset from the pillar's centre; its distance from the
origin. Metres, in the network's frame."""

Share = Annotated[float, Field(ge=0, le=1)]
Tensor = Annotated[str, Field(min_length=1)]
Span = tuple[float, float, float, float, float, float]
"""Least x, y, z, then greatest x, y, z, metres, in the network's frame."""

_WHOLE: Final = 1e-3  # of a pillar: how far from a whole number of pillars a range may be, for rounded numbers


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class PillarGrid(_Keys):
    """Where the pillars stand, and how much they hold."""

    range_m: Span
    pillar_m: tuple[float, float, float] = Field(description="Size along x, y, z; along z it is the range's height.")
    max_points: int = Field(gt=0, le=1024, description="Of a pillar; later ones of the sweep are left out.")
    max_pillars: int = Field(gt=0, le=1_000_000, description="Of a sweep; the farthest from the origin are left out.")

    @model_validator(mode="after")
    def _is_whole(self) -> PillarGrid:
        for axis, least, greatest, size in zip("xyz", self.range_m[:3], self.range_m[3:], self.pillar_m, strict=True):
            if not (size > 0 and greatest > least):
                raise ValueError(
                    f"{axis}: from {least:g} to {greatest:g} in steps of {size:g}; expected an upward range"
                )
            count = (greatest - least) / size
            if abs(count - round(count)) > _WHOLE:
                raise ValueError(f"{axis}: {greatest - least:g} m are {count:g} pillars; expected a whole number")
        if round((self.range_m[5] - self.range_m[2]) / self.pillar_m[2]) != 1:
            raise ValueError(f"z: a pillar is {self.pillar_m[2]:g} m high; expected the height of the range")
        return self

    @property
    def columns(self) -> int:
        """Pillars along x."""
        return round((self.range_m[3] - self.range_m[0]) / self.pillar_m[0])

    @property
    def rows(self) -> int:
        """Pillars along y."""
        return round((self.range_m[4] - self.range_m[1]) / self.pillar_m[1])


class NetworkFrame(_Keys):
    """Where the frame that the network was trained in lies in velo, both upright."""

    origin_velo_m: tuple[float, float, float] = Field(
        (0.0, 0.0, 0.0),
        description="Its origin; (0, 0, -1.8) for a LiDAR 1.8 m above a network that thinks from ground.",
    )
    yaw_velo_rad: float = Field(
        0.0, ge=-math.pi, le=math.pi, description="Its x axis, counter-clockwise from velo's x; -pi/2 for nuScenes."
    )


class _Head(_Keys):
    stride: int = Field(gt=0, description="Pillars along a cell of the maps (out_size_factor, downsample_factor).")
    scores: Literal["logits", "probabilities"] = Field("logits", description="Logits go through the logistic function.")
    min_score: Share = Field(0.1, description="Below are not decoded.")
    good_score: float = Field(0.5, gt=0, lt=1, description="Where false alarms become rare; it is mapped to 0.5.")
    max_candidates: int = Field(1000, gt=0, description="The best so many are compared with each other.")
    nms_across_classes: bool = Field(True, description="Boxes of different classes exclude each other, too.")
    centre_range_m: Span | None = Field(None, description="Boxes with centres outside are left out.")


class CentreMaps(_Keys):
    """Names of one group of maps; a network may have several, each for some of the classes."""

    heat: Tensor = "heatmap"
    offset: Tensor = Field("reg", description="x, y from the cell's corner, in cells.")
    z: Tensor = Field("height", description="Of the centre, metres.")
    size: Tensor = "dim"
    rotation: Tensor = "rot"


class CentreHead(_Head):
    """A heat map for each class, and maps that tell the box of each cell."""

    kind: Literal["centres"]
    maps: tuple[CentreMaps, ...] = Field((CentreMaps(),), min_length=1, description="In the order of the classes.")
    size_order: Literal["width_length_height", "length_width_height"] = "width_length_height"
    sizes: Literal["logarithms", "metres"] = "logarithms"
    rotation_order: Literal["sine_cosine", "cosine_sine"] = "sine_cosine"
    yaw: Literal["clockwise_from_minus_y", "counter_clockwise_from_x"] = "clockwise_from_minus_y"
    min_rotation_norm: tuple[Share, ...] = Field(
        (), description="Of sine and cosine, for each class; boxes below are left out. None: all stay."
    )
    nms_iou: Share = 0.1


class AnchorClass(_Keys):
    """The anchors of one class at each cell: every size with every rotation."""

    sizes_m: tuple[tuple[float, float, float], ...] = Field(min_length=1, description="Length, width, height.")
    rotations_rad: tuple[float, ...] = Field((0.0, 1.57), min_length=1, description="In the network's sense of yaw.")
    bottom_m: float = Field(description="Height of the underside.")

    @model_validator(mode="after")
    def _has_volume(self) -> AnchorClass:
        if min(min(size) for size in self.sizes_m) <= 0:
            raise ValueError(f"sizes_m {self.sizes_m}: expected lengths above 0")
        return self


class Direction(_Keys):
    """How front and rear are told apart: the yaw is known up to a period, and a bin chooses among its multiples."""

    tensor: Tensor = "dir_cls_preds"
    bins: int = Field(2, ge=2)
    offset_rad: float = Field(0.78539, description="Where the first bin begins (DIR_OFFSET).")
    limit_offset: float = Field(0.0, description="Where the period is cut, in periods (DIR_LIMIT_OFFSET).")


class AnchorHead(_Head):
    """Anchors of fixed sizes at each cell, each with a score per class and a box in code relative to it."""

    kind: Literal["anchors"]
    anchors: tuple[AnchorClass, ...] = Field(min_length=1, description="In the network's order.")
    align_centre: bool = Field(False, description="Anchors at the cells' centres; otherwise from edge to edge.")
    layout: Literal["channels_last", "channels_first"] = "channels_last"
    class_tensor: Tensor = "cls_preds"
    box_tensor: Tensor = "box_preds"
    code_length: Literal[7, 9] = Field(7, description="Numbers a box; the last two of nine, a velocity, are not used.")
    size_order: Literal["width_length_height", "length_width_height"] = "length_width_height"
    yaw: Literal["clockwise_from_minus_y", "counter_clockwise_from_x"] = "counter_clockwise_from_x"
    direction: Direction | None = Field(Direction(), description="None: a yaw is taken as it comes.")
    nms_iou: Share = 0.01

    @property
    def anchor_count(self) -> int:
        """Anchors at each cell."""
        return sum(len(one.sizes_m) * len(one.rotations_rad) for one in self.anchors)


class SplitPillars(_Keys):
    """Everything about the network that its two files do not say."""

    grid: PillarGrid
    features: tuple[Feature, ...] = Field(min_length=1, description="What the encoder gets for a point, in its order.")
    intensity_scale: float = Field(1.0, gt=0, description="Ours is 0 to 1; 255 for networks that know bytes.")
    points: Literal["all", "in_view"] = Field("all", description="Which are given to it: in_view for KITTI's (FOV).")
    frame: NetworkFrame = NetworkFrame()
    head: Annotated[CentreHead | AnchorHead, Field(discriminator="kind")]

    @property
    def map_size(self) -> tuple[int, int]:
        """Rows and columns of the head's maps."""
        return self.grid.rows // self.head.stride, self.grid.columns // self.head.stride
