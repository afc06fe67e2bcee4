"""From a checkpoint to a model that the registry takes: `model.onnx` and its card, with what it was measured to do.

    python -m vedette.models.pillars.training.export RUN HELD_OUT OUT --name pillars-world --version 1

The scores are shifted, in order, so that the cut which gives the best F1 on the held-out samples becomes 0.5; then the
file itself is measured, in ONNX Runtime, and the figures go onto the card.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import onnx
import torch

from vedette.errors import MissingDataError
from vedette.models.cards import Accuracy, ModelCard, card_as_yaml
from vedette.models.pillars.detector import INPUTS, outputs_for
from vedette.models.pillars.network import PillarsNetwork
from vedette.models.pillars.training.evaluate import evaluate, model_finder
from vedette.models.pillars.training.graph import onnx_model
from vedette.models.pillars.training.network import NetworkConfig, PillarNet
from vedette.models.pillars.training.shards import SampleSet, read_manifest
from vedette.models.pillars.training.train import CHECKPOINT_FILE, CONFIG_FILE, network_finder
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.store import CARD_FILE, MODEL_FILE, sha256_of

RANGE_M: Final = 70.0
_METRICS: Final[Mapping[str, str]] = {
    "ap.r40.car.bev.0.5": "ap.r40.car.bev.0.5 (cars with 10 points and more)",
    "ap.r40.car.bev.0.7": "ap.r40.car.bev.0.7 (cars with 10 points and more)",
    "ap.r40.car.3d.0.5": "ap.r40.car.3d.0.5 (cars with 10 points and more)",
    "ap.r40.car.3d.0.7": "ap.r40.car.3d.0.7 (cars with 10 points and more)",
    "f1.car.bev.0.5.r50": "f1.car.bev.0.5.r50 at score 0.5",
    "recall.car.bev.0.5.r50": "recall within 50 m, BEV IoU 0.5, score 0.5",
    "precision.car.bev.0.5.r50": "precision within 50 m, BEV IoU 0.5, score 0.5",
}


@dataclass(frozen=True)
class Provenance:
    """What the card says of where a model comes from.

    Args:
        name: of the model.
        version: numbers with dots.
        steps: of training.
        run: the run's `config.json`.
        held_out: how the held-out samples were made.
    """

    name: str
    version: str
    steps: int
    run: Mapping[str, Any]
    held_out: Mapping[str, Any]


def load_network(run: Path) -> tuple[PillarNet, int]:
    """The network of a checkpoint, for use, and the number of steps it has taken.

    Args:
        run: folder of a training run.

    Raises:
        MissingDataError: it has no checkpoint.
    """
    path = run / CHECKPOINT_FILE
    if not path.exists():
        raise MissingDataError(f"{path}: not there; expected a folder that the training has written into")
    checkpoint = torch.load(path, weights_only=True)
    network = PillarNet(NetworkConfig(**checkpoint["config"]["network"]))
    network.load_state_dict(checkpoint["network"])
    return network.eval(), checkpoint["step"]


def write_model(network: PillarNet, held_out: SampleSet, provenance: Provenance, folder: Path) -> ModelCard:
    """Export, measure, and write the two files.

    Args:
        network: trained, for use.
        held_out: samples for the score cut and the figures.
        provenance: for the card.
        folder: for `model.onnx` and `card.yaml`.

    Returns:
        The card.
    """
    folder.mkdir(parents=True, exist_ok=True)
    best_cut = evaluate(held_out, network_finder(network))["best_cut"]
    onnx.save(onnx_model(network, -math.log(best_cut / (1.0 - best_cut))), folder / MODEL_FILE)
    unmeasured = _card(provenance, sha256_of(folder / MODEL_FILE))
    model = OnnxModel(folder / MODEL_FILE, unmeasured, SessionOptions())
    figures = evaluate(held_out, model_finder(PillarsNetwork(model)))
    card = unmeasured.model_copy(update={"accuracy": _accuracy(figures, len(held_out), provenance)})
    (folder / CARD_FILE).write_text(card_as_yaml(card), encoding="utf-8")
    return card


def _card(provenance: Provenance, sha256: str) -> ModelCard:
    samples, config = provenance.run["samples"], provenance.run["config"]
    return ModelCard(
        schema_version=1,
        name=provenance.name,
        version=provenance.version,
        title="Cars from pillars of points, trained in the generated world",
        family="pillars",
        task="detect3d",
        inputs=INPUTS,
        outputs=outputs_for(config["network"]["classes"]),
        labels="kitti",
        classes=("Car",),
        frame="velo, x forward, y left, z up, the LiDAR about 1.7 m above the road; boxes at their centre of volume",
        units="metres, radians; the yaw is that of the axis, front and rear not told apart",
        range_m=RANGE_M,
        training_data=(
            f"{samples['count']} samples of our generated world (LiDAR of HDL-64E geometry), no real data;"
            f" SHA-256 over the shards {samples['sha256']}"
        ),
        training_recipe=(
            f"docs/training.md: {provenance.steps} steps of {config['batch']} samples, AdamW, one cycle to"
            f" {config['learning_rate']:g}, seed {config['seed']}, torch {provenance.run['torch']}"
        ),
        licence="Apache-2.0 (code and weights)",
        source="this repository",
        file=MODEL_FILE,
        sha256=sha256,
    )


def _accuracy(figures: Mapping[str, float], count: int, provenance: Provenance) -> tuple[Accuracy, ...]:
    data = f"{count} held-out samples of the generated world, {json.dumps(provenance.held_out)}"
    command = f"python -m vedette.models.pillars.training.evaluate {provenance.name}@{provenance.version} HELD_OUT"
    return tuple(
        Accuracy(metric=words, value=figures[name], data=data, command=command) for name, words in _METRICS.items()
    )


def main() -> None:
    """Export the last checkpoint of a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of the training run")
    parser.add_argument("held_out", type=Path, help="samples for the score cut and the figures")
    parser.add_argument("out", type=Path, help="folder to write NAME/VERSION into")
    parser.add_argument("--name", default="pillars-world")
    parser.add_argument("--version", default="1")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    network, steps = load_network(arguments.run)
    run = json.loads((arguments.run / CONFIG_FILE).read_text(encoding="utf-8"))
    recipe = read_manifest(arguments.held_out)["recipe"]
    provenance = Provenance(arguments.name, arguments.version, steps, run, recipe)
    folder = arguments.out / arguments.name / arguments.version
    card = write_model(network, SampleSet(arguments.held_out), provenance, folder)
    sys.stdout.write(card_as_yaml(card))


if __name__ == "__main__":
    main()
