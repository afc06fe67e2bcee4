"""The network: points to pillars, pillars to a picture from above, convolutions, and an answer in heat and boxes.

    quarters 4 x 32 ─► pillars ─► full size ───────────────────────────────► joined ─► heat, boxes   (large)
                                     └─► half size ──────► joined ─► doubled ───┘
                                             └─► quarter size ─► doubled ─┘  └─► heat, boxes         (nano)

Beside its box each cell tells the box's *quality*, the IoU that it expects to have (after Jiang et al., "Acquisition of
localization confidence", ECCV 2018); the score is the heat and the quality together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from vedette.models.pillars.box_code import CODE_LENGTH
from vedette.models.pillars.features import FEATURES
from vedette.models.pillars.grid import CELLS, COLUMNS, QUARTERS, ROWS, AnswerGrid


@dataclass(frozen=True)
class NetworkConfig:
    """How large the network is; time goes with the square of the widths.

    Args:
        point_width: channels of a point and a quarter of a pillar.
        widths: channels at full, half and quarter size.
        depths: convolutions at each; the first at half and quarter size halves.
        neck_width: channels of each size where they are joined.
        join_size: 3 or 1, cells over which the joined are summed up.
        head_width: channels before the answer.
        stride: 2 to answer at half size, 1 at full size, which tells small and close objects apart.
        classes: heat maps.
    """

    point_width: int = 32
    widths: tuple[int, int, int] = (32, 56, 112)
    depths: tuple[int, int, int] = (0, 4, 5)
    neck_width: int = 56
    join_size: int = 1
    head_width: int = 56
    stride: int = 2
    classes: int = 4

    @property
    def grid(self) -> AnswerGrid:
        """Of the answer."""
        return AnswerGrid(self.stride)


SIZES: Final = {
    "nano": NetworkConfig(),
    "large": NetworkConfig(widths=(40, 96, 128), depths=(2, 4, 5), neck_width=64, join_size=3, head_width=56, stride=1),
}


QUALITY_SHARE: Final = 0.3
"""Of a score: heat to the power of the rest, times quality to the power of this."""


@dataclass(frozen=True)
class Answer:
    """What the network says of some scenes.

    Args:
        heat: ``(S,K,R,C)`` before the sigmoid.
        code: ``(S,10,R,C)``, see `box_code`.
        quality: ``(S,R,C)`` before the sigmoid.
    """

    heat: Tensor
    code: Tensor
    quality: Tensor


def scores_of(answer: Answer) -> Tensor:
    """Heat and quality together, ``(S,K,R,C)`` in [0, 1].

    Args:
        answer: of the network.
    """
    told = (1.0 - QUALITY_SHARE) * logsigmoid(answer.heat) + QUALITY_SHARE * logsigmoid(answer.quality[:, None])
    return told.exp()


class PillarNet(nn.Module):
    """The whole network.

    Args:
        config: its size.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        width = config.point_width
        self.points = nn.Sequential(nn.Linear(FEATURES, width, bias=False), _norm_of_rows(width), nn.ReLU())
        self.pillars = nn.Sequential(
            nn.Linear(QUARTERS * width, config.widths[0], bias=False), _norm_of_rows(config.widths[0]), nn.ReLU()
        )
        self.scene = SceneNet(config)
        self.scene.to(memory_format=torch.channels_last)

    def forward(self, features: Tensor, slots: Tensor, cells: Tensor, scenes: int, *, bf16: bool = False) -> Answer:
        """The answers for some scenes.

        Args:
            features: ``(N,8) float32`` of all points.
            slots: ``(N,) int64`` quarter of each point, counted over the pillars of all scenes.
            cells: ``(P,) int64`` cell of each pillar; those of the scene s are counted from s * `CELLS`.
            scenes: how many.
            bf16: convolutions in 16 bits, which is twice as fast where the processor has them.
        """
        quarters = _largest(self.points(features), slots, len(cells) * QUARTERS)
        pillars = self.pillars(quarters.view(len(cells), -1))
        picture = _picture(pillars.bfloat16() if bf16 else pillars, cells, scenes)
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            heat, told = self.scene(picture)
        told = told.float()
        return Answer(heat.float(), told[:, :CODE_LENGTH], told[:, CODE_LENGTH])


class SceneNet(nn.Module):
    """From the picture to the answer.

    Args:
        config: its size.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        full, half, quarter = config.widths
        neck, head = config.neck_width, config.head_width
        joined = head if config.stride == 2 else neck
        self.full_stage = _stage(full, full, 1, config.depths[0])
        self.half_stage = _stage(full, half, 2, config.depths[1])
        self.quarter_stage = _stage(half, quarter, 2, config.depths[2])
        self.half_neck = _block(nn.Conv2d(half, neck, 1, bias=False))
        self.quarter_neck = _doubling(quarter, neck)
        self.join = _convolution(2 * neck, joined, size=config.join_size)
        self.finer = _doubling(joined, head) if config.stride == 1 else None
        self.finer_join = _convolution(head + full, head) if config.stride == 1 else None
        self.heat = _head(head, head // 2, config.classes)
        self.told = _head(head, head, CODE_LENGTH + 1)
        heat_bias = self.heat[-1].bias
        assert isinstance(heat_bias, Tensor)
        nn.init.constant_(heat_bias, -2.9)  # a start near the truth: hardly a cell holds a car

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        """Heat; and the code with the quality behind it.

        Args:
            picture: ``(S,W,ROWS,COLUMNS)``.
        """
        full = self.full_stage(picture)
        half = self.half_stage(full)
        joined = self.join(torch.cat([self.half_neck(half), self.quarter_neck(self.quarter_stage(half))], dim=1))
        if self.finer is not None and self.finer_join is not None:
            joined = self.finer_join(torch.cat([full, self.finer(joined)], dim=1))
        return self.heat(joined), self.told(joined)


def _largest(rows: Tensor, slots: Tensor, count: int) -> Tensor:
    """The largest row of each slot, 0 in those without a row; rows are at least 0."""
    index = slots[:, None].expand(-1, rows.shape[1])
    return rows.new_zeros(count, rows.shape[1]).scatter_reduce(0, index, rows, "amax")


def _picture(pillars: Tensor, cells: Tensor, scenes: int) -> Tensor:
    width = pillars.shape[1]
    flat = pillars.new_zeros(scenes * CELLS, width).index_copy_(0, cells, pillars)
    return flat.view(scenes, ROWS, COLUMNS, width).permute(0, 3, 1, 2)


def _stage(width_in: int, width: int, stride: int, depth: int) -> nn.Sequential:
    widths = [width_in, *[width] * depth]
    strides = [stride, *[1] * (depth - 1)]
    return nn.Sequential(*map(_convolution, widths, widths[1:], strides))


def _head(width_in: int, width: int, channels: int) -> nn.Sequential:
    return nn.Sequential(_convolution(width_in, width), nn.Conv2d(width, channels, 1))


def _convolution(width_in: int, width: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    return _block(nn.Conv2d(width_in, width, size, stride, size // 2, bias=False))


def _doubling(width_in: int, width: int) -> nn.Sequential:
    """Twice the size."""
    return _block(nn.ConvTranspose2d(width_in, width, 2, 2, bias=False))


def _block(convolution: nn.Conv2d | nn.ConvTranspose2d) -> nn.Sequential:
    """A convolution with normalisation and a ramp."""
    norm = nn.BatchNorm2d(convolution.out_channels, eps=1e-3, momentum=0.03)
    return nn.Sequential(convolution, norm, nn.ReLU(inplace=True))


def _norm_of_rows(width: int) -> nn.BatchNorm1d:
    return nn.BatchNorm1d(width, eps=1e-3, momentum=0.03)
