"""Runs a model once before it is needed.

On a device with TensorRT the first run builds an engine, which takes minutes; done in service it looks like a crash
(roboflow/inference#2703). `vedette models prepare` does it beforehand, and says how long it took.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vedette.models.cards import ModelCard
from vedette.models.registry import ModelRegistry


@dataclass(frozen=True)
class Preparation:
    """What preparing a model showed.

    Args:
        label: name and version.
        providers: execution providers in use.
        skipped_providers: those configured that are not there.
        load_ms: hash, session, and engine where one is loaded.
        first_run_ms: with building whatever is built at first.
        next_run_ms: what a run takes from then on; for models of varying input this is an input of length 1.
    """

    label: str
    providers: tuple[str, ...]
    skipped_providers: tuple[str, ...]
    load_ms: float
    first_run_ms: float
    next_run_ms: float


def prepare(registry: ModelRegistry, name: str) -> Preparation:
    """Load a model and run it twice on zeros.

    Args:
        registry: where it is.
        name: `name` for the highest version, or `name@version`.

    Raises:
        UnknownModelError: no such model.
        ModelError: it cannot be used.
    """
    started = time.perf_counter()
    model = registry.open(name)
    loaded = time.perf_counter()
    inputs = zero_inputs(model.card)
    model.run(inputs)
    warm = time.perf_counter()
    model.run(inputs)
    finished = time.perf_counter()
    spans = (1e3 * (loaded - started), 1e3 * (warm - loaded), 1e3 * (finished - warm))
    return Preparation(model.card.label, model.providers, model.skipped_providers, *spans)


def zero_inputs(card: ModelCard) -> Mapping[str, NDArray[Any]]:
    """Zeros for every input; lengths that vary are 1.

    Args:
        card: tells names, dtypes and shapes.
    """
    return {
        spec.name: np.zeros([length if isinstance(length, int) else 1 for length in spec.shape], dtype=spec.dtype)
        for spec in card.inputs
    }
