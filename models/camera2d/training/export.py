"""From a checkpoint to the files that the registry reads.

    python -m vedette.models.camera2d.training.export --run DIR --out DIR/camera2d-world/1 --held-out DIR

The card says what the network is, and what the file does on pictures that it has not seen (`training.evaluate`).
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from vedette.models.camera2d import Camera2dDetector
from vedette.models.camera2d.decode import STRIDES_PX
from vedette.models.camera2d.masks import MASK_STRIDE_PX
from vedette.models.camera2d.training.cut import USUAL_CUT, best_cut, logit_shift
from vedette.models.camera2d.training.evaluate import GOOD_SCORE, SCORE_THRESHOLD, figures, milliseconds, of_shards
from vedette.models.camera2d.training.network import Architecture, Camera2dNetwork, ExportedNetwork
from vedette.models.camera2d.training.samples import CLASSES, shard_hashes
from vedette.models.camera2d.training.train import CHECKPOINT_FILE, CONFIG_FILE
from vedette.models.cards import SCHEMA_VERSION, Accuracy, ModelCard, card_as_yaml, checked_card
from vedette.models.grids import Grid
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.store import CARD_FILE, MODEL_FILE, sha256_of

INPUT_NAME: Final = "image"
OUTPUT_NAMES: Final = ("rows", "maps")
_OPSET: Final = 17
REPORTED: Final = {
    **{
        f"ap.r40.{what}.{level}": f"ap.r40.{what}.{level}"
        for what in ("car.2d.0.7", "car.2d.0.5", "vehicle.2d.0.5", "pedestrian.2d.0.5", "cyclist.2d.0.5")
        for level in ("easy", "moderate", "hard")
    },
    "found.12-25px": "share of objects 12 to 25 pixels high that are found, box IoU 0.5, score 0.4",
    "found.25-40px": "the same, 25 to 40 pixels high",
    "found.40px": "the same, 40 pixels and higher",
    "mask_iou.12-25px": "mean IoU of masks with visible pixels, objects found that are 12 to 25 pixels high",
    "mask_iou.25-40px": "the same, 25 to 40 pixels high",
    "mask_iou.40px": "the same, 40 pixels and higher",
    "ms": "milliseconds of CPU time a picture, one thread, resizing and masks included",
}
"""Figures of `training.evaluate` that stand on a card, and what the card calls them."""


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A network as a checkpoint holds it.

    Args:
        network: ready to be exported.
        architecture: its sizes.
        size_px: width and height of its input.
        step_count: steps that it was trained for.
        batch: pictures in a step.
    """

    network: ExportedNetwork
    architecture: Architecture
    size_px: tuple[int, int]
    step_count: int
    batch: int


def read_checkpoint(path: Path) -> TrainedNetwork:
    """The network of a run.

    Args:
        path: of the checkpoint.
    """
    state = torch.load(path, weights_only=True)
    config = state["config"]
    architecture = Architecture(**config["architecture"])
    network = Camera2dNetwork(architecture)
    network.load_state_dict(state["network"])
    width, height = config["size_px"]
    return TrainedNetwork(ExportedNetwork(network), architecture, (width, height), state["step_count"], config["batch"])


def export_onnx(network: ExportedNetwork, size_px: tuple[int, int], path: Path) -> None:
    """Write the network as one ONNX file.

    Args:
        network: in evaluation mode.
        size_px: width and height of its input.
        path: of the file.
    """
    with warnings.catch_warnings():
        # the newer exporter needs packages that nothing else here needs
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            network,
            (torch.zeros(1, 3, size_px[1], size_px[0]),),
            str(path),
            input_names=[INPUT_NAME],
            output_names=list(OUTPUT_NAMES),
            opset_version=_OPSET,
            dynamo=False,
        )


def card_of(trained: TrainedNetwork, model_path: Path, texts: Mapping[str, Any]) -> ModelCard:
    """The card of an exported network.

    Args:
        trained: the network.
        model_path: its ONNX file.
        texts: the card's values that the network does not tell.

    Raises:
        ModelCardError: a value is missing or wrong.
    """
    width, height = trained.size_px
    cells = len(Grid.of_strides(width, height, STRIDES_PX))
    columns = trained.network.network.rows.out_channels
    maps = (1, trained.architecture.map_count, height // MASK_STRIDE_PX, width // MASK_STRIDE_PX)
    values = {
        "schema_version": SCHEMA_VERSION,
        "family": "camera2d",
        "task": "detect2d",
        "inputs": [{"name": INPUT_NAME, "dtype": "float32", "shape": (1, 3, height, width)}],
        "outputs": [
            {"name": OUTPUT_NAMES[0], "dtype": "float32", "shape": (1, cells, columns)},
            {"name": OUTPUT_NAMES[1], "dtype": "float32", "shape": maps},
        ],
        "labels": "vedette",
        "classes": [member.label for member in CLASSES],
        "frame": "image, x right, y down, origin at the upper left corner of the upper left pixel",
        "units": "pixels; input BGR, resized without keeping proportions, minus 114, divided by 58",
        "file": MODEL_FILE,
        "sha256": sha256_of(model_path),
    }
    return checked_card({**values, **texts}, model_path)


def measured(card: ModelCard, model_path: Path, held_out: Path) -> tuple[Accuracy, ...]:
    """What the file does on stored pictures, for its card.

    Args:
        card: of the file.
        model_path: the file.
        held_out: folder of shards that it was not trained on.
    """
    model = OnnxModel(model_path, card, SessionOptions())
    found = figures(Camera2dDetector(model, SCORE_THRESHOLD), of_shards(held_out))
    found["ms"] = milliseconds(Camera2dDetector(model, GOOD_SCORE), of_shards(held_out))
    data = f"{found['pictures']:g} pictures of {len(shard_hashes(held_out))} generated worlds that it has not seen"
    command = f"python -m vedette.models.camera2d.training.evaluate {card.name} --pictures DIR"
    return tuple(
        Accuracy(metric=metric, value=round(found[key], 1), data=data, command=command)
        for key, metric in REPORTED.items()
        if key in found
    )


def main() -> None:
    """Export from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--out", type=Path, required=True, help="folder for model.onnx and card.yaml")
    parser.add_argument("--held-out", type=Path, required=True, help="folder of shards to measure on")
    parser.add_argument("--name", default="camera2d-world")
    parser.add_argument("--version", default="1")
    asked = parser.parse_args()
    trained = read_checkpoint(asked.run / CHECKPOINT_FILE)
    texts = _texts(trained, asked.run, asked.name, asked.version)
    asked.out.mkdir(parents=True, exist_ok=True)
    export_onnx(trained.network, trained.size_px, asked.out / MODEL_FILE)
    _shift_scores(trained, asked.out / MODEL_FILE, texts, asked.held_out)
    card = card_of(trained, asked.out / MODEL_FILE, texts)
    card = card.model_copy(update={"accuracy": measured(card, asked.out / MODEL_FILE, asked.held_out)})
    (asked.out / CARD_FILE).write_text(card_as_yaml(card), encoding="utf-8")


def _shift_scores(trained: TrainedNetwork, model_path: Path, texts: Mapping[str, Any], held_out: Path) -> None:
    """Export anew, with scores whose best cut is the usual one (module `cut`)."""
    model = OnnxModel(model_path, card_of(trained, model_path, texts), SessionOptions())
    shift = logit_shift(best_cut(Camera2dDetector(model, SCORE_THRESHOLD), of_shards(held_out)))
    trained.network.shift_scores(shift)
    export_onnx(trained.network, trained.size_px, model_path)


def _texts(trained: TrainedNetwork, run: Path, name: str, version: str) -> dict[str, Any]:
    config = json.loads((run / CONFIG_FILE).read_text(encoding="utf-8"))
    start = "" if config["start"] is None else f", begun with the weights of another run ({config['start'][:12]})"
    return {
        "name": name,
        "version": version,
        "title": f"camera2d, boxes and masks, input {trained.size_px[0]}x{trained.size_px[1]}",
        "training_data": f"pictures of {len(config['shards'])} generated worlds (datasets/synth); no real picture",
        "training_recipe": (
            f"models/camera2d/training, seed {config['seed']}, {trained.step_count} steps of {trained.batch} pictures,"
            f" AdamW one cycle up to {config['learning_rate']:g}, bfloat16, torch {config['torch']}{start};"
            f" scores shifted so that the best F1 on the held-out pictures lies at {USUAL_CUT:g}"
        ),
        "licence": "Apache-2.0",
        "source": "trained by this project from nothing",
    }


if __name__ == "__main__":
    main()
