"""From a checkpoint to a model that the registry takes, with what it was measured to do: `vedette models export`.

The averaged weights are exported, in 8-bit integers. The scores are bent, in order, so that the cut which gives the
best F1 of a class on the held-out samples becomes 0.5; then the file itself is measured, in ONNX Runtime, and the
figures go onto the card.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import torch

from vedette.models.cards import Accuracy, ModelCard, card_as_yaml
from vedette.models.checkpoints import CHECKPOINT_FILE
from vedette.models.pillars.detector import INPUTS, outputs_for
from vedette.models.pillars.network import PillarsNetwork
from vedette.models.pillars.training.evaluate import evaluate, model_finder, network_finder
from vedette.models.pillars.training.graph import onnx_model
from vedette.models.pillars.training.network import NetworkConfig, PillarNet
from vedette.models.pillars.training.quantise import quantised
from vedette.models.pillars.training.shards import Sample, SampleSet
from vedette.models.pillars.training.targets import CHANNELS
from vedette.models.pillars.training.trainer import averaged_weights, read_state
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.store import CARD_FILE, MODEL_FILE, sha256_of
from vedette.models.training_config import read_config
from vedette.models.training_recipe import data_text, recipe_text, stages
from vedette.models.training_run import ExportRequest

RANGE_M: Final = 70.0
BEST_CUT: Final = 0.5
"""Score at which exported models have their best F1."""
CALIBRATION_SAMPLES: Final = 48
_MEASURED: Final = (
    *(f"ap.r40.{name}.{overlap}.{iou}" for name in ("car", "van") for overlap in ("bev", "3d") for iou in (0.5, 0.7)),
    *(f"ap.r40.{name}.bev.{iou}" for name in ("pedestrian", "cyclist") for iou in (0.25, 0.5)),
    "f1.car.bev.0.5.r50",
)
_FREE_LICENCE: Final = "Apache-2.0 (code and weights)"
_KITTI_LICENCE: Final = "CC BY-NC-SA 3.0, as KITTI, on which it was trained: non-commercial use only"


@dataclass(frozen=True)
class Provenance:
    """What the card says of where a model comes from.

    Args:
        name: of the model.
        version: numbers with dots.
        steps: of training.
        mirrored: whether it also looks at the mirrored scene.
        run: the run's `config.json`.
        held_out: how the held-out samples were made.
    """

    name: str
    version: str
    steps: int
    mirrored: bool
    run: Mapping[str, Any]
    held_out: Mapping[str, Any]


def load_network(run: Path) -> tuple[PillarNet, int]:
    """The network of a checkpoint with its averaged weights, for use, and the number of steps it has taken.

    Args:
        run: folder of a training run.

    Raises:
        MissingDataError: it has no checkpoint.
        ConfigError: what it has is none of this family.
    """
    state = read_state(run / CHECKPOINT_FILE)
    network = PillarNet(NetworkConfig(**state["config"]["network"]))
    network.load_state_dict(averaged_weights(state))
    return network.eval(), state["step"]


def write_model(
    network: PillarNet, held_out: SampleSet, calibration: SampleSet, provenance: Provenance, folder: Path
) -> ModelCard:
    """Export, measure, and write the two files.

    Args:
        network: trained, for use.
        held_out: samples for the score cuts and the figures.
        calibration: samples that show what ranges the network's numbers take.
        provenance: for the card.
        folder: for `model.onnx` and `card.yaml`.

    Returns:
        The card.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cuts = evaluate(held_out, network_finder(network))
    exponents = [math.log(BEST_CUT) / math.log(cuts[f"best_cut.{name.lower()}"]) for name in CHANNELS]
    onnx.save(quantised(onnx_model(network, exponents), _some(calibration)), folder / MODEL_FILE)
    unmeasured = _card(provenance, sha256_of(folder / MODEL_FILE), network.config)
    model = OnnxModel(folder / MODEL_FILE, unmeasured, SessionOptions())
    figures = evaluate(held_out, model_finder(PillarsNetwork(model)))
    card = unmeasured.model_copy(update={"accuracy": _accuracy(figures, len(held_out), provenance)})
    (folder / CARD_FILE).write_text(card_as_yaml(card), encoding="utf-8")
    return card


def _some(samples: SampleSet) -> list[Sample]:
    """Of all parts of the set."""
    count = min(CALIBRATION_SAMPLES, len(samples))
    return [samples[index] for index in np.linspace(0, len(samples) - 1, count).round().astype(int).tolist()]


def _card(provenance: Provenance, sha256: str, network: NetworkConfig) -> ModelCard:
    return ModelCard(
        schema_version=1,
        name=provenance.name,
        version=provenance.version,
        title=f"Vehicles and people from pillars of points, {_where(provenance.run)}",
        family="pillars",
        task="detect3d",
        inputs=INPUTS,
        outputs=outputs_for(network.classes, network.grid),
        labels="kitti",
        classes=CHANNELS,
        frame="velo, x forward, y left, z up, the LiDAR about 1.7 m above the road; boxes at their centre of volume",
        units="metres, radians; trucks and buses count as Van",
        range_m=RANGE_M,
        mirrored=provenance.mirrored,
        training_data=data_text(provenance.run, _described),
        training_recipe=(
            f"{recipe_text(provenance.run, provenance.steps)}; averaged weights; then vedette models export"
            f"{' --mirrored' if provenance.mirrored else ''}, 8-bit integers"
        ),
        licence=_KITTI_LICENCE if _has_real(provenance.run) else _FREE_LICENCE,
        source="this repository",
        file=MODEL_FILE,
        sha256=sha256,
    )


def _has_real(run: Mapping[str, Any]) -> bool:
    return any("sources" in samples["recipe"] for stage in stages(run) for samples in stage["samples"])


def _where(run: Mapping[str, Any]) -> str:
    return "trained in the generated world and on KITTI" if _has_real(run) else "trained in the generated world"


def _described(samples: Mapping[str, Any]) -> str:
    recipe = samples["recipe"]
    if "sources" in recipe:
        folds = ",".join(map(str, recipe["folds"]))
        return f"labelled frames of KITTI ({', '.join(recipe['sources'])}; object folds {folds})"
    return (
        "samples of our generated world (LiDAR of HDL-64E geometry), vedette models samples pillars --seeds"
        f" {recipe['first_seed']}-{recipe['last_seed']} --scenarios {','.join(recipe['scenarios'])} --scans"
        f" {recipe['scans']}"
    )


def _accuracy(figures: Mapping[str, float], count: int, provenance: Provenance) -> tuple[Accuracy, ...]:
    data = f"{count} held-out samples, objects with 10 points and more, {json.dumps(provenance.held_out)}"
    command = f"python -m vedette.models.pillars.training.evaluate {provenance.name}@{provenance.version} HELD_OUT"
    return tuple(Accuracy(metric=name, value=figures[name], data=data, command=command) for name in _MEASURED)


def export(request: ExportRequest, calibration: Path | None, *, mirrored: bool) -> ModelCard:
    """Export the last checkpoint of a training.

    Args:
        request: what, and where to.
        calibration: samples that show what ranges the network's numbers take; None for the first that it learnt from.
        mirrored: average with what the network says of the mirrored scene.

    Returns:
        The card.

    Raises:
        MissingDataError: no checkpoint, or no samples.
        ConfigError: the checkpoint is none of this family.
    """
    torch.set_num_threads(1)
    network, steps = load_network(request.run)
    run = read_config(request.run)
    held_out = SampleSet(request.held_out or Path(run["held_out"]["folder"]))
    ranges = SampleSet(calibration or Path(run["samples"][0]["folder"]))
    provenance = Provenance(request.name, request.version, steps, mirrored, run, held_out.recipe)
    return write_model(network, held_out, ranges, provenance, request.folder)
