"""The loop: pictures in, checkpoints and a log out.

    python -m vedette.models.camera2d.training.train --pictures DIR --run DIR --minutes 40

`--run` gets ``config.json`` (what was asked for, and the hashes of the shards), ``log.jsonl`` (a line every few steps)
and ``checkpoint.pt``. The same command again goes on from the checkpoint. Which pictures a step sees and how they are
changed follows from the seed and the step's number alone, so that a run that was interrupted ends as one that was not,
if its length is given in steps and no pictures are added meanwhile.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from vedette.errors import MissingDataError, ModelError
from vedette.models.camera2d.decode import STRIDES_PX, cell_centres
from vedette.models.camera2d.training.augment import ModelSample, drawn_placement, placed, restyled
from vedette.models.camera2d.training.losses import Batch, Cells, Losses, detection_losses
from vedette.models.camera2d.training.network import Architecture, Camera2dNetwork, normalised
from vedette.models.camera2d.training.samples import CLASSES, StoredPicture, sha256_of, shard_hashes, stored_pictures
from vedette.models.camera2d.training.targets import batch_of
from vedette.models.grids import Grid

CHECKPOINT_FILE: Final = "checkpoint.pt"
CONFIG_FILE: Final = "config.json"
LOG_FILE: Final = "log.jsonl"
_LOG_EVERY: Final = 10
_SAVE_EVERY: Final = 100
_LOOK_EVERY: Final = 50
"""Steps after which the folder is read again: pictures may still be in the making."""
_WARM_UP: Final = 0.1
"""Share of the run in which the learning rate rises."""


@dataclass(frozen=True)
class TrainingConfig:
    """What a run depends on.

    Args:
        steps: length of the run in steps; None when it is given in minutes.
        minutes: length of the run in minutes of this process and those before it; None when given in steps.
        seed: of weights, order and changes of pictures.
        batch: pictures in a step.
        learning_rate: the highest.
        weight_decay: of AdamW.
        size_px: width and height of the network's input, multiples of 32.
        window_px: parts of that size are shown at first, since they take half the time; multiples of 32.
        window_until: share of the run after which the whole input is shown.
        architecture: sizes of the network.
    """

    steps: int | None
    minutes: float | None
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
        pictures: lists the pictures that there are by now.
    """

    def __init__(self, config: TrainingConfig, pictures: Callable[[], Sequence[StoredPicture]]) -> None:
        torch.manual_seed(config.seed)
        self.config = config
        self.network = Camera2dNetwork(config.architecture).to(memory_format=torch.channels_last)
        self.step_count = 0
        self.seconds = 0.0
        self._list_pictures = pictures
        self._pictures: Sequence[StoredPicture] = []
        self._optimiser = torch.optim.AdamW(
            self.network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
        )

    @property
    def progress(self) -> float:
        """Share of the run that is done."""
        if self.config.steps is not None:
            return self.step_count / self.config.steps
        assert self.config.minutes is not None
        return self.seconds / (60.0 * self.config.minutes)

    def step(self) -> dict[str, float]:
        """One step of the optimiser.

        Returns:
            For the log.

        Raises:
            MissingDataError: there are no pictures.
            ModelError: the loss is not finite.
        """
        started = time.perf_counter()
        rng = np.random.default_rng([self.config.seed, self.step_count])
        rate = self.config.learning_rate * one_cycle(self.progress)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        losses = self._losses(rng)
        if not torch.isfinite(losses.total):
            raise ModelError(f"step {self.step_count}: the loss is {losses.total.item()}; expected a number")
        self._optimiser.zero_grad()
        losses.total.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 10.0)
        self._optimiser.step()
        self.step_count += 1
        self.seconds += time.perf_counter() - started
        parts = {name: float(value.detach()) for name, value in vars(losses).items()}
        return {"step": self.step_count, "progress": self.progress, "rate": rate, **parts}

    def save(self, path: Path) -> None:
        """Write all that the run needs to go on, or nothing.

        Args:
            path: of the checkpoint.
        """
        state = {
            "network": self.network.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "step_count": self.step_count,
            "seconds": self.seconds,
            "config": asdict(self.config),
        }
        partial = path.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(path)

    def load(self, path: Path) -> None:
        """Go on from a checkpoint.

        Args:
            path: of the checkpoint.

        Raises:
            ModelError: it is of a run with another configuration.
        """
        state = torch.load(path, weights_only=True)
        if state["config"] != asdict(self.config):
            raise ModelError(f"{path} is of a run with {state['config']}; expected {asdict(self.config)}")
        self.network.load_state_dict(state["network"])
        self._optimiser.load_state_dict(state["optimiser"])
        self.step_count, self.seconds = state["step_count"], state["seconds"]

    def start_from(self, path: Path) -> None:
        """Take the weights of another run, and begin anew with them.

        Args:
            path: of its checkpoint.
        """
        self.network.load_state_dict(torch.load(path, weights_only=True)["network"])

    def _losses(self, rng: np.random.Generator) -> Losses:
        self.network.train()
        if not self._pictures or self.step_count % _LOOK_EVERY == 0:
            self._look()
        shown_px = self.config.window_px if self.progress < self.config.window_until else self.config.size_px
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

    def _look(self) -> None:
        self._pictures = self._list_pictures()
        if not self._pictures:
            raise MissingDataError("there are no pictures to learn from; make some with `training.pictures`")

    def _sample(self, rng: np.random.Generator, shown_px: tuple[int, int]) -> ModelSample:
        picture = self._pictures[int(rng.integers(len(self._pictures)))].read()
        placement = drawn_placement(rng, picture, self.config.size_px, shown_px)
        sample = placed(picture, placement, shown_px)
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


def train(config: TrainingConfig, pictures: Path, run: Path, start: Path | None = None) -> None:
    """Train to the end, or go on from the run's checkpoint.

    Args:
        config: of the run.
        pictures: folder of shards.
        run: folder of the run; made when absent.
        start: checkpoint of another run whose weights to begin with; None for weights drawn by the seed.

    Raises:
        MissingDataError: no pictures.
        ModelError: the checkpoint is of another configuration, or the loss is not finite.
    """
    run.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(config, lambda: stored_pictures(pictures))
    if (run / CHECKPOINT_FILE).exists():
        trainer.load(run / CHECKPOINT_FILE)
    elif start is not None:
        trainer.start_from(start)
    _write_config(config, pictures, run, start)
    with (run / LOG_FILE).open("a", encoding="utf-8") as log:
        while trainer.progress < 1.0:
            entry = trainer.step()
            if trainer.step_count % _LOG_EVERY == 0:
                log.write(json.dumps(entry) + "\n")
                log.flush()
            if trainer.step_count % _SAVE_EVERY == 0:
                trainer.save(run / CHECKPOINT_FILE)
    trainer.save(run / CHECKPOINT_FILE)
    _write_config(config, pictures, run, start)


def _write_config(config: TrainingConfig, pictures: Path, run: Path, start: Path | None) -> None:
    document: dict[str, Any] = {
        **asdict(config),
        "torch": torch.__version__,
        "classes": [member.label for member in CLASSES],
        "start": None if start is None else sha256_of(start),
        "shards": shard_hashes(pictures),
    }
    (run / CONFIG_FILE).write_text(json.dumps(document, indent=1), encoding="utf-8")


def main() -> None:
    """Train from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=Path, required=True, help="folder of shards")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int)
    length.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="checkpoint of another run to begin with")
    parser.add_argument("--threads", type=int, default=1, help="1 unless the machine is idle")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    train(TrainingConfig(asked.steps, asked.minutes, asked.seed), asked.pictures, asked.run, asked.start)


if __name__ == "__main__":
    main()
