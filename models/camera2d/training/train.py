"""A network on its way, and its training on folders of pictures: `vedette models train camera2d`.

Which pictures a step sees and how they are changed follows from the seed and the step's number alone, so that a
training that was interrupted ends as one that was not.
"""

from __future__ import annotations

import io
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from vedette.errors import ConfigError, ModelError
from vedette.models.camera2d.decode import STRIDES_PX, cell_centres
from vedette.models.camera2d.training.augment import ModelSample, drawn_placement, placed, placed_owners, restyled
from vedette.models.camera2d.training.evaluate import figures, of_shards
from vedette.models.camera2d.training.export import FAMILY, low_detector, read_state
from vedette.models.camera2d.training.losses import Batch, Cells, Losses, detection_losses
from vedette.models.camera2d.training.network import Architecture, Camera2dNetwork, normalised
from vedette.models.camera2d.training.photographs import Photographs
from vedette.models.camera2d.training.randomised import randomised
from vedette.models.camera2d.training.samples import CLASSES, PictureSet, StoredPicture
from vedette.models.camera2d.training.targets import batch_of
from vedette.models.grids import Grid
from vedette.models.training_config import described, write_config
from vedette.models.training_log import TrainingLog
from vedette.models.training_recipe import described_start
from vedette.models.training_run import LOG_FILE, TrainingRequest, evenly
from vedette.models.training_run import train as train_to_the_end
from vedette.paths import write_whole

FIGURES: Final = (
    "ap.r40.car.2d.0.5.moderate",
    "ap.r40.car.2d.0.7.moderate",
    "ap.r40.vehicle.2d.0.5.moderate",
    "ap.r40.pedestrian.2d.0.5.moderate",
    "ap.r40.cyclist.2d.0.5.moderate",
    "found.25-40px",
    "mask_iou.25-40px",
    "mask_iou.40px",
)
COLUMNS: Final = ("score_loss", "box_loss", "mask_loss", *FIGURES)
_WARM_UP: Final = 0.1
"""Share of the run in which the learning rate rises."""


@dataclass(frozen=True)
class TrainingConfig:
    """What a run depends on.

    Args:
        steps: in all.
        seed: of weights, order and changes of pictures.
        batch: pictures in a step.
        learning_rate: the highest.
        weight_decay: of AdamW.
        size_px: width and height of the network's input, multiples of 32.
        window_px: parts of that size are shown at first, since they take half the time; multiples of 32.
        window_until: share of the run after which the whole input is shown.
        architecture: sizes of the network.
    """

    steps: int = 6000
    seed: int = 0
    batch: int = 8
    learning_rate: float = 2e-3
    weight_decay: float = 0.02
    size_px: tuple[int, int] = (768, 224)
    window_px: tuple[int, int] = (512, 160)
    window_until: float = 0.7
    architecture: Architecture = field(default_factory=lambda: Architecture(len(CLASSES)))


class Trainer:
    """A network on its way.

    Args:
        config: of the run.
        pictures: to learn from, at least one.
        photographs: to randomise them with; None shows them as they are, but for style.
    """

    def __init__(
        self, config: TrainingConfig, pictures: Sequence[StoredPicture], photographs: Photographs | None = None
    ) -> None:
        torch.manual_seed(config.seed)
        self.config = config
        self.network = Camera2dNetwork(config.architecture).to(memory_format=torch.channels_last)
        self.step = 0
        self._pictures = pictures
        self._photographs = photographs
        self._optimiser = torch.optim.AdamW(
            self.network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
        )

    @property
    def steps(self) -> int:
        """How many it takes in all."""
        return self.config.steps

    @property
    def learning_rate(self) -> float:
        """Of the next step."""
        return self.config.learning_rate * one_cycle(self.step / self.config.steps)

    def advance(self) -> Losses:
        """Take one step.

        Returns:
            The losses before it.

        Raises:
            ModelError: the loss is not finite.
        """
        rng = np.random.default_rng([self.config.seed, self.step])
        for group in self._optimiser.param_groups:
            group["lr"] = self.learning_rate
        losses = self._losses(rng)
        if not torch.isfinite(losses.total):
            raise ModelError(f"step {self.step}: the loss is {losses.total.item()}; expected a number")
        self._optimiser.zero_grad()
        losses.total.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 10.0)
        self._optimiser.step()
        self.step += 1
        return losses

    def save(self, path: Path) -> None:
        """Write all that the run needs to go on, or nothing.

        Args:
            path: of the checkpoint.
        """
        state = {
            "network": self.network.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "step": self.step,
            "config": asdict(self.config),
        }
        content = io.BytesIO()
        torch.save(state, content)
        write_whole(path, content.getvalue())

    def load(self, path: Path) -> None:
        """Go on from a checkpoint.

        Args:
            path: of the checkpoint.

        Raises:
            ConfigError: it is of another configuration, or none.
        """
        state = read_state(path)
        if state["config"] != asdict(self.config):
            raise ConfigError(f"{path}: was made with {state['config']}; expected {asdict(self.config)}")
        self.network.load_state_dict(state["network"])
        self._optimiser.load_state_dict(state["optimiser"])
        self.step = state["step"]

    def start_from(self, path: Path) -> None:
        """Take the weights of another run, and begin anew with them.

        Args:
            path: of its checkpoint.

        Raises:
            MissingDataError: it is not there.
            ConfigError: it is none, or of another network.
        """
        weights = read_state(path)["network"]
        try:
            self.network.load_state_dict(weights)
        except RuntimeError as error:
            raise ConfigError(f"{path}: weights of another network; expected those of a camera2d") from error

    def _losses(self, rng: np.random.Generator) -> Losses:
        self.network.train()
        parts = self.step < self.config.window_until * self.config.steps
        shown_px = self.config.window_px if parts else self.config.size_px
        grid = Grid.of_strides(*shown_px, STRIDES_PX)
        arrays = batch_of([self._sample(rng, shown_px) for _ in range(self.config.batch)], grid)
        with torch.autocast("cpu", torch.bfloat16):
            rows, maps = self.network(normalised(torch.from_numpy(arrays.pixels_bgr)))
        fields = ("owners", "objects", "counts", "boxes_px", "channels")
        batch = Batch(*(torch.from_numpy(getattr(arrays, name)) for name in fields))
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        classes = self.config.architecture.class_count
        return detection_losses(
            rows.float(), maps.float(), batch, _as_tensors(grid), class_count=classes, generator=generator
        )

    def _sample(self, rng: np.random.Generator, shown_px: tuple[int, int]) -> ModelSample:
        picture = self._pictures[int(rng.integers(len(self._pictures)))].read()
        placement = drawn_placement(rng, picture, self.config.size_px, shown_px)
        sample = placed(picture, placement, shown_px)
        if self._photographs is not None:
            sample = randomised(rng, sample, placed_owners(picture, placement, shown_px, 1), self._photographs)
        return replace(sample, pixels_bgr=restyled(rng, sample.pixels_bgr))


def _as_tensors(grid: Grid) -> Cells:
    return Cells(torch.from_numpy(cell_centres(grid)).float(), torch.from_numpy(grid.strides_px).float())


def one_cycle(progress: float) -> float:
    """Share of the highest learning rate: a short rise, then half a cosine down to nearly nothing.

    Args:
        progress: share of the run that is done.
    """
    if progress < _WARM_UP:
        return 0.04 + 0.96 * progress / _WARM_UP
    fall = min((progress - _WARM_UP) / (1.0 - _WARM_UP), 1.0)
    return 0.002 + 0.998 * 0.5 * (1.0 + math.cos(math.pi * fall))


def train(
    request: TrainingRequest, stopped: Callable[[], bool] = lambda: False, photographs: Photographs | None = None
) -> bool:
    """Train, or go on with training.

    Args:
        request: what to do.
        stopped: asked before every step.
        photographs: to randomise pictures with; None for none.

    Returns:
        Whether the last step was taken.

    Raises:
        ConfigError: the folder holds a training with other settings.
        MissingDataError: a folder without pictures.
        ModelError: the loss is not finite.
    """
    torch.set_num_threads(request.threads)
    sets, held_out = [PictureSet(Path(folder)) for folder in request.samples], PictureSet(request.held_out)
    config = TrainingConfig(request.steps, request.seed, request.batch, request.learning_rate)
    document = _document(config, sets, held_out, request, photographs)
    trainer = Trainer(config, [picture for one in sets for picture in one.pictures], photographs)
    if request.start is not None:
        trainer.start_from(request.start)
    write_config(request.run, document)
    if request.checkpoint.exists():
        trainer.load(request.checkpoint)
    log = TrainingLog(request.run / LOG_FILE, COLUMNS, trainer.step)

    def figures_of(count: int | None) -> Mapping[str, float]:
        return _figures(trainer, [held_out.pictures[i] for i in evenly(len(held_out), count)])

    return train_to_the_end(trainer, figures_of, log, request, stopped)


def _step_of(checkpoint: Path) -> int:
    return int(read_state(checkpoint)["step"])


def _figures(trainer: Trainer, pictures: Sequence[StoredPicture]) -> dict[str, float]:
    """What the network is worth as it is now, measured on its export."""
    with tempfile.TemporaryDirectory() as folder:
        detector = low_detector(trainer.network, trainer.config.size_px, Path(folder))
        found = figures(detector, of_shards(pictures))
    return {key: round(found[key], 2) for key in FIGURES if key in found}


def _document(
    config: TrainingConfig,
    sets: Sequence[PictureSet],
    held_out: PictureSet,
    request: TrainingRequest,
    photographs: Photographs | None,
) -> dict[str, Any]:
    """For `config.json`: all that the weights follow from."""
    return {
        "family": FAMILY,
        "options": request.options,
        "config": asdict(config),
        "samples": [described(one) for one in sets],
        "held_out": described(held_out),
        "photographs": None if photographs is None else photographs.described,
        "start": described_start(request.start, _step_of),
        "torch": torch.__version__,
    }
