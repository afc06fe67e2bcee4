"""Makes a model ready before it is needed.

On a device with TensorRT the first run builds an engine, which takes minutes; done in service it looks like a crash
(roboflow/inference#2703). `vedette models prepare` does it beforehand, and says how long it took. For the CPU the
optimised graph is kept in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from vedette.models.cards import Task
from vedette.models.engines import EngineBuild
from vedette.models.registry import ModelRegistry
from vedette.models.trial_inputs import trial_camera, trial_image, trial_sweep

Progress = Callable[[str], None]
"""Called with what is done next."""


@dataclass(frozen=True)
class Preparation:
    """What preparing a model showed.

    Args:
        label: name and version.
        providers: execution providers in use.
        skipped_providers: those configured that are not there.
        engines_made: how many had to be made.
        engines_found: how many were there already.
        make_ms: until the first run was over, with all that was made.
        load_ms: what loading takes from now on: hash, session, engine.
        run_ms: what a run takes from now on; for a 3D detector that of a single point.
    """

    label: str
    providers: tuple[str, ...]
    skipped_providers: tuple[str, ...]
    engines_made: int
    engines_found: int
    make_ms: float
    load_ms: float
    run_ms: float


def prepare(registry: ModelRegistry, name: str, progress: Progress = lambda _step: None) -> Preparation:
    """Make the engines of a model that are missing, and let it work on a made-up picture or sweep.

    Args:
        registry: where it is.
        name: `name` for the highest version, or `name@version`.
        progress: told each step.

    Raises:
        UnknownModelError: no such model.
        ModelError: it cannot be used, or an engine cannot be kept.
    """
    card = registry.store.find(name).card
    build = EngineBuild(registry.engines, card.sha256)
    started = time.perf_counter()
    progress("loading, and making what is missing")
    work = _work(registry.making_engines(build), card.label, card.task)
    progress("first run")
    work()
    build.finish()
    made = time.perf_counter()
    progress("loading what was made")
    work = _work(registry, card.label, card.task)
    loaded = time.perf_counter()
    work()
    finished = time.perf_counter()
    model = registry.open(card.label)
    spans = (1e3 * (made - started), 1e3 * (loaded - made), 1e3 * (finished - loaded))
    return Preparation(card.label, model.providers, model.skipped_providers, build.made, build.found, *spans)


def _work(registry: ModelRegistry, name: str, task: Task) -> Callable[[], object]:
    """One use of the model, as the service will use it."""
    if task == "detect3d":
        return partial(registry.load_detector3d(name).detect, trial_sweep(), trial_camera())
    if task == "segment":
        return partial(registry.load_segmenter(name).class_map, trial_image())
    return partial(registry.load_detector2d(name, 0.5).detect, trial_image())
