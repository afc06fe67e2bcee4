"""The network: points to pillars, pillars to a picture from above, convolutions, and at twice the cell size an answer.

pillars 32 ──► 32 ──► 64 (half size) ──► 128 (quarter) ─┐ doubled
                          └───────────────► joined ◄────┘ ──► heat, boxes
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from vedette.models.pillars.box_code import CODE_LENGTH
from vedette.models.pillars.features import FEATURES
from vedette.models.pillars.grid import CELLS, COLUMNS, ROWS


@dataclass(frozen=True)
class NetworkConfig:
    """How large the network is; time goes with the square of the widths.

    Args:
        point_width: channels of a point and a pillar.
        widths: channels at full, half and quarter size.
        depths: further convolutions at each, after the first.
        neck_width: channels of each size where they are joined.
        head_width: channels before the answer.
        classes: heat maps.
    """

    point_width: int = 32
    widths: tuple[int, int, int] = (32, 64, 128)
    depths: tuple[int, int, int] = (0, 3, 4)
    neck_width: int = 64
    head_width: int = 64
    classes: int = 1


class PillarNet(nn.Module):
    """The whole network.

    Args:
        config: its size.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.point_linear = nn.Linear(FEATURES, config.point_width, bias=False)
        self.point_norm = nn.BatchNorm1d(config.point_width, eps=1e-3, momentum=0.03)
        self.scene = SceneNet(config)
        self.scene.to(memory_format=torch.channels_last)

    def forward(
        self, features: Tensor, slots: Tensor, cells: Tensor, scenes: int, *, bf16: bool = False
    ) -> tuple[Tensor, Tensor]:
        """The answers for some scenes.

        Args:
            features: ``(N,8) float32`` of all points.
            slots: ``(N,) int64`` pillar of each point, counted over all scenes.
            cells: ``(P,) int64`` cell of each pillar; those of the scene s are counted from s * `CELLS`.
            scenes: how many.
            bf16: convolutions in 16 bits, which is twice as fast where the processor has them.

        Returns:
            Heat before the sigmoid ``(S,K,R,C)``, and regression ``(S,8,R,C)``.
        """
        rows = torch.relu(self.point_norm(self.point_linear(features)))
        pillars = _largest(rows, slots, len(cells))
        picture = _picture(pillars.bfloat16() if bf16 else pillars, cells, scenes)
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            heat, regression = self.scene(picture)
        return heat.float(), regression.float()


class SceneNet(nn.Module):
    """From the picture to the answer.

    Args:
        config: its size.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        full, half, quarter = config.widths
        self.full_stage = _stage(config.point_width, full, 1, config.depths[0])
        self.half_stage = _stage(full, half, 2, config.depths[1])
        self.quarter_stage = _stage(half, quarter, 2, config.depths[2])
        self.half_neck = _block(nn.Conv2d(half, config.neck_width, 1, bias=False))
        self.quarter_neck = _block(nn.ConvTranspose2d(quarter, config.neck_width, 2, 2, bias=False))
        self.join = _convolution(2 * config.neck_width, config.head_width)
        self.heat = nn.Sequential(
            _convolution(config.head_width, config.head_width // 2),
            nn.Conv2d(config.head_width // 2, config.classes, 1),
        )
        self.regression = nn.Sequential(
            _convolution(config.head_width, config.head_width), nn.Conv2d(config.head_width, CODE_LENGTH, 1)
        )
        heat_bias = self.heat[-1].bias
        assert isinstance(heat_bias, Tensor)
        nn.init.constant_(heat_bias, -2.9)  # a start near the truth: hardly a cell holds a car

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        """Heat and regression.

        Args:
            picture: ``(S,32,ROWS,COLUMNS)``.
        """
        half = self.half_stage(self.full_stage(picture))
        joined = self.join(torch.cat([self.half_neck(half), self.quarter_neck(self.quarter_stage(half))], dim=1))
        return self.heat(joined), self.regression(joined)


def _largest(rows: Tensor, slots: Tensor, pillars: int) -> Tensor:
    """The largest row of each pillar; rows are at least 0."""
    index = slots[:, None].expand(-1, rows.shape[1])
    return rows.new_zeros(pillars, rows.shape[1]).scatter_reduce(0, index, rows, "amax")


def _picture(pillars: Tensor, cells: Tensor, scenes: int) -> Tensor:
    width = pillars.shape[1]
    flat = pillars.new_zeros(scenes * CELLS, width).index_copy_(0, cells, pillars)
    return flat.view(scenes, ROWS, COLUMNS, width).permute(0, 3, 1, 2)


def _stage(width_in: int, width: int, stride: int, further: int) -> nn.Sequential:
    return nn.Sequential(_convolution(width_in, width, stride), *[_convolution(width, width) for _ in range(further)])


def _convolution(width_in: int, width: int, stride: int = 1) -> nn.Sequential:
    return _block(nn.Conv2d(width_in, width, 3, stride, 1, bias=False))


def _block(convolution: nn.Conv2d | nn.ConvTranspose2d) -> nn.Sequential:
    """A convolution with normalisation and a ramp."""
    norm = nn.BatchNorm2d(convolution.out_channels, eps=1e-3, momentum=0.03)
    return nn.Sequential(convolution, norm, nn.ReLU(inplace=True))
