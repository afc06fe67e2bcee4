"""The network: plain 3x3 convolutions, since ONNX Runtime runs those nearest to what a core can do.

stride     2       4       8      16      32
stem ---> stage -> stage -> stage -> stage          residual blocks after each halving
  |         |        |       |       |
  |         |        p8 <-- p16 <----+              top-down, summed
  |         |        |       |
  |         p4 <-----+-------|----> rows            scores, box sides and mask coefficients of each cell
  |         |
  +-------> maps                                    at stride 2: four sub-cells of p4, refined by the stem
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from vedette.models.camera2d.decode import BOX_COLUMNS, STRIDES_PX
from vedette.models.camera2d.detector import PIXEL_MEAN, PIXEL_SCALE
from vedette.models.camera2d.masks import PLACE_TERMS

INPUT_MULTIPLE: Final = 32
"""Both sides of an input are multiples of the coarsest stride."""
_RARE: Final = 0.01
"""Score of a cell before training: nearly all cells are empty."""


@dataclass(frozen=True)
class Architecture:
    """Sizes of the network.

    Args:
        class_count: columns of scores.
        widths: channels at strides 2, 4, 8, 16 and 32; multiples of 16 run fastest.
        blocks: residual blocks at strides 4, 8, 16 and 32.
        neck: channels where the strides meet, and of the head.
        map_width: channels before the maps.
        map_count: shared maps that masks are summed from.
    """

    class_count: int
    widths: tuple[int, int, int, int, int] = (16, 32, 64, 96, 128)
    blocks: tuple[int, int, int, int] = (0, 1, 2, 2)
    neck: int = 48
    map_width: int = 16
    map_count: int = 8


class Camera2dNetwork(nn.Module):
    """Pixels in; rows and maps out.

    Args:
        architecture: sizes.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        stem, *widths = architecture.widths
        befores = (stem, *widths[:-1])
        self.stem = _convolution(3, stem, stride=2)
        self.stages = nn.ModuleList(
            _stage(before, width, count)
            for before, width, count in zip(befores, widths, architecture.blocks, strict=True)
        )
        neck = architecture.neck
        self.laterals = nn.ModuleList(_convolution(width, neck, size=1) for width in widths[1:])
        self.smooth = nn.ModuleList(_convolution(neck, neck) for _ in STRIDES_PX)
        self.head = _convolution(neck, neck)
        self.class_count = architecture.class_count
        columns = architecture.class_count + BOX_COLUMNS + architecture.map_count + PLACE_TERMS
        self.rows = nn.Conv2d(neck, columns, 1)
        self.maps = _Maps(stem, widths[0], neck, architecture)
        assert self.rows.bias is not None
        with torch.no_grad():
            self.rows.bias[: self.class_count] = math.log(_RARE / (1.0 - _RARE))

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """Look at pictures.

        Args:
            pixels: ``(B,3,H,W)`` blue, green, red, normalised (`normalised`); H and W multiples of 32.

        Returns:
            ``(B,cells,columns)`` with scores as logits, and ``(B,K,H/2,W/2)``.
        """
        fine = self.stem(pixels)
        stages = []
        features = fine
        for stage in self.stages:
            features = stage(features)
            stages.append(features)
        at8, at16, at32 = (lateral(stage) for lateral, stage in zip(self.laterals, stages[1:], strict=True))
        at16 = self.smooth[1](at16 + _doubled(at32))
        at8 = self.smooth[0](at8 + _doubled(at16))
        rows = torch.cat([self.rows(self.head(level)).flatten(2) for level in (at8, at16)], dim=2)
        return rows.transpose(1, 2), self.maps(fine, stages[0], at8)


class ExportedNetwork(nn.Module):
    """The network as the runtime reads it: scores in [0, 1].

    Args:
        network: trained; put into evaluation mode.
    """

    def __init__(self, network: Camera2dNetwork) -> None:
        super().__init__()
        self.network = network
        self.eval()

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """As `Camera2dNetwork.forward`, but for the scores."""
        rows, maps = self.network(pixels)
        count = self.network.class_count
        return torch.cat([rows[..., :count].sigmoid(), rows[..., count:]], dim=2), maps

    def shift_scores(self, logit: float) -> None:
        """Raise or lower all scores without changing their order.

        Args:
            logit: added to the scores' logits.
        """
        bias = self.network.rows.bias
        assert bias is not None
        with torch.no_grad():
            bias[: self.network.class_count] += logit


def normalised(pixels_bgr: Tensor) -> Tensor:
    """Pixels as the network takes them.

    Args:
        pixels_bgr: ``(B,H,W,3) uint8``.

    Returns:
        ``(B,3,H,W) float32``, channels last in memory, which is what makes bfloat16 fast.
    """
    return ((pixels_bgr.float() - PIXEL_MEAN) * PIXEL_SCALE).permute(0, 3, 1, 2)


class _Residual(nn.Module):
    """Two 3x3 convolutions through half the channels, beside the way straight on."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width // 2)
        self.second = nn.Sequential(nn.Conv2d(width // 2, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, features: Tensor) -> Tensor:
        return functional.relu(features + self.second(self.first(features)))


class _Maps(nn.Module):
    """The shared maps at stride 2, mostly thought out at stride 4."""

    def __init__(self, stem: int, at4: int, neck: int, architecture: Architecture) -> None:
        super().__init__()
        width, count = architecture.map_width, architecture.map_count
        self.from4 = _convolution(at4, width, size=1)
        self.from8 = _convolution(neck, width, size=1)
        self.mixed = _convolution(width, width)
        self.sub_cells = nn.Sequential(nn.Conv2d(width, 4 * count, 1), nn.PixelShuffle(2))
        self.details = nn.Conv2d(stem, count, 1)

    def forward(self, fine: Tensor, at4: Tensor, at8: Tensor) -> Tensor:
        coarse = self.mixed(self.from4(at4) + _doubled(self.from8(at8)))
        maps: Tensor = self.sub_cells(coarse) + self.details(fine)
        return maps


def _convolution(channels: int, width: int, *, stride: int = 1, size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels, width, size, stride, size // 2, bias=False), nn.BatchNorm2d(width), nn.ReLU()
    )


def _stage(before: int, width: int, blocks: int) -> nn.Sequential:
    return nn.Sequential(_convolution(before, width, stride=2), *(_Residual(width) for _ in range(blocks)))


def _doubled(features: Tensor) -> Tensor:
    return functional.interpolate(features, scale_factor=2.0, mode="nearest")
