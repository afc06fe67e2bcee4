"""From a checkpoint to the files that the registry reads: `vedette models export`.

The card says what the network is, and what the file does on pictures that it has not seen (`training.evaluate`).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch

from vedette.models.camera2d import Camera2dDetector
from vedette.models.camera2d.decode import STRIDES_PX
from vedette.models.camera2d.masks import MASK_STRIDE_PX
from vedette.models.camera2d.training.cut import USUAL_CUT, best_cut, logit_shift
from vedette.models.camera2d.training.evaluate import GOOD_SCORE, SCORE_THRESHOLD, figures, milliseconds, of_shards
from vedette.models.camera2d.training.network import Architecture, Camera2dNetwork, ExportedNetwork
from vedette.models.camera2d.training.samples import CLASSES, PictureSet
from vedette.models.cards import SCHEMA_VERSION, Accuracy, ModelCard, card_as_yaml, checked_card
from vedette.models.checkpoints import CHECKPOINT_FILE, checkpoint_state
from vedette.models.grids import Grid
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.store import CARD_FILE, MODEL_FILE, sha256_of
from vedette.models.training_config import read_config
from vedette.models.training_recipe import data_text, photograph_sets, recipe_text
from vedette.models.training_run import ExportRequest

FAMILY: Final = "camera2d"
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
_UNNAMED: Final = {
    "name": "in-training",
    "version": "0",
    "title": "A network in training",
    "training_data": "see the training",
    "training_recipe": "see the training",
    "licence": "none",
    "source": "none",
}
"""Of the card of a network that is looked at on its way."""


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A network as a checkpoint holds it.

    Args:
        network: ready to be exported.
        architecture: its sizes.
        size_px: width and height of its input.
        steps: that it was trained for.
    """

    network: ExportedNetwork
    architecture: Architecture
    size_px: tuple[int, int]
    steps: int


def read_state(path: Path) -> dict[str, Any]:
    """All that a checkpoint holds.

    Args:
        path: of the checkpoint.

    Raises:
        MissingDataError: it is not there.
        ConfigError: it is none of this family.
    """
    return checkpoint_state(path, partial(torch.load, weights_only=True), FAMILY, "architecture")


def read_checkpoint(path: Path) -> TrainedNetwork:
    """The network of a run.

    Args:
        path: of the checkpoint.

    Raises:
        MissingDataError: it is not there.
        ConfigError: it is none of this family.
    """
    state = read_state(path)
    config = state["config"]
    architecture = Architecture(**config["architecture"])
    network = Camera2dNetwork(architecture)
    network.load_state_dict(state["network"])
    width, height = config["size_px"]
    return TrainedNetwork(ExportedNetwork(network), architecture, (width, height), state["step"])


def low_detector(network: Camera2dNetwork, size_px: tuple[int, int], folder: Path) -> Camera2dDetector:
    """The network as it is now, in ONNX Runtime, at `SCORE_THRESHOLD`.

    Args:
        network: in training; it is copied.
        size_px: width and height of its input.
        folder: for the file.
    """
    trained = TrainedNetwork(ExportedNetwork(deepcopy(network)), network.architecture, size_px, 0)
    export_onnx(trained.network, size_px, folder / MODEL_FILE)
    return Camera2dDetector(_opened(trained, folder / MODEL_FILE, _UNNAMED), SCORE_THRESHOLD)


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
        "family": FAMILY,
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


def measured(card: ModelCard, model_path: Path, held_out: PictureSet) -> tuple[Accuracy, ...]:
    """What the file does on stored pictures, for its card.

    Args:
        card: of the file.
        model_path: the file.
        held_out: pictures that it was not trained on.
    """
    model = OnnxModel(model_path, card, SessionOptions())
    found = figures(Camera2dDetector(model, SCORE_THRESHOLD), of_shards(held_out.pictures))
    found["ms"] = milliseconds(Camera2dDetector(model, GOOD_SCORE), of_shards(held_out.pictures))
    data = f"{len(held_out)} {_described({'recipe': held_out.recipe})}, that it has not seen"
    command = f"python -m vedette.models.camera2d.training.evaluate {card.label} --pictures HELD_OUT"
    return tuple(
        Accuracy(metric=metric, value=round(found[key], 1), data=data, command=command)
        for key, metric in REPORTED.items()
        if key in found
    )


def export(request: ExportRequest) -> ModelCard:
    """Export the last checkpoint of a training.

    Args:
        request: what, and where to.

    Returns:
        The card.

    Raises:
        MissingDataError: no checkpoint, or no pictures.
        ConfigError: the checkpoint is none of this family.
    """
    torch.set_num_threads(1)
    trained, run = read_checkpoint(request.run / CHECKPOINT_FILE), read_config(request.run)
    held_out = PictureSet(request.held_out or Path(run["held_out"]["folder"]))
    texts = _texts(trained, run, request)
    request.folder.mkdir(parents=True, exist_ok=True)
    path = request.folder / MODEL_FILE
    export_onnx(trained.network, trained.size_px, path)
    _shift_scores(trained, path, texts, held_out)
    card = card_of(trained, path, texts)
    card = card.model_copy(update={"accuracy": measured(card, path, held_out)})
    (request.folder / CARD_FILE).write_text(card_as_yaml(card), encoding="utf-8")
    return card


def _opened(trained: TrainedNetwork, model_path: Path, texts: Mapping[str, Any]) -> OnnxModel:
    return OnnxModel(model_path, card_of(trained, model_path, texts), SessionOptions())


def _shift_scores(trained: TrainedNetwork, model_path: Path, texts: Mapping[str, Any], held_out: PictureSet) -> None:
    """Export anew, with scores whose best cut is the usual one (module `cut`)."""
    detector = Camera2dDetector(_opened(trained, model_path, texts), SCORE_THRESHOLD)
    trained.network.shift_scores(logit_shift(best_cut(detector, of_shards(held_out.pictures))))
    export_onnx(trained.network, trained.size_px, model_path)


def _texts(trained: TrainedNetwork, run: Mapping[str, Any], request: ExportRequest) -> dict[str, Any]:
    return {
        "name": request.name,
        "version": request.version,
        "title": f"camera2d, boxes and masks, input {trained.size_px[0]}x{trained.size_px[1]}",
        "training_data": f"{data_text(run, _described)}; {_real_pictures(run)}",
        "training_recipe": (
            f"{recipe_text(run, trained.steps)}; then vedette models export: scores shifted so that the best F1 on the"
            f" held-out pictures lies at {USUAL_CUT:g}"
        ),
        "licence": f"Apache-2.0{', as far as the licences of the photographs allow' if photograph_sets(run) else ''}",
        "source": "trained by this project from nothing",
    }


def _real_pictures(run: Mapping[str, Any]) -> str:
    count = sum(entry["count"] for entry in photograph_sets(run))
    if count == 0:
        return "no real picture"
    return f"{count} photographs without labels behind and before the objects; no other real picture"


def _described(samples: Mapping[str, Any]) -> str:
    recipe = samples["recipe"]
    scales = " and ".join(f"{scale:g}" for scale in recipe["scale"])
    return (
        f"pictures of {recipe['worlds']} generated worlds, vedette models samples camera2d --seeds"
        f" {recipe['first_seed']}-{recipe['last_seed']} --each {recipe['each']} --scale {scales}"
    )
