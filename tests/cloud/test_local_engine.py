"""The engine in this process: turns, refusals, failures, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from vedette.cloud.budget import Budget
from vedette.cloud.local_engine import LocalEngine
from vedette.cloud.warmup import warm_up_camera, warm_up_sweep
from vedette.errors import DeadlineError, LinkUnavailableError, ModelInputError, ModelLoadError, OverloadedError

CAMERA, SWEEP = warm_up_camera(), warm_up_sweep()
pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def started(detector: Any, **settings: int) -> AsyncIterator[LocalEngine]:
    engine = LocalEngine(detector, **settings)
    try:
        await engine.start()
        detector.started.acquire()
        yield engine
    finally:
        detector.go.set()
        await engine.close()


def detect(engine: LocalEngine, budget_s: float = 20.0) -> Awaitable[Any]:
    return asyncio.ensure_future(engine.detect(SWEEP, CAMERA, Budget(budget_s)))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20.0):
        while not condition():
            await asyncio.sleep(0.001)


async def test_starting_lets_the_model_answer_once(detector: Any) -> None:
    """On a sweep with points that its camera sees."""
    async with started(detector) as engine:
        assert len(detector.sweeps) == 1
        assert CAMERA.in_image(*CAMERA.project_velo(detector.sweeps[0].points_velo)).sum() > 1000
        assert engine.model_name == "fake-car@1"


async def test_answers_come_with_their_times(detector: Any) -> None:
    """Boxes of the detector; time in the queue and in the model."""
    async with started(detector) as engine:
        inference = await detect(engine)
        np.testing.assert_array_equal(inference.detections.scores, [0.75])
        assert list(inference.stage_ms) == ["queue", "detect3d"]
        assert min(inference.stage_ms.values()) >= 0.0


async def test_what_is_too_much_is_refused_at_once(detector: Any) -> None:
    """One runs, two wait, the fourth is refused; the three are answered."""
    async with started(detector, max_queue=2) as engine:
        detector.go.clear()
        running = detect(engine)
        await until(lambda: len(detector.sweeps) == 2)
        waiting = [detect(engine), detect(engine)]
        await until(lambda: engine.queue_length == 2)
        with pytest.raises(OverloadedError):
            await detect(engine)
        detector.go.set()
        assert len(await asyncio.gather(running, *waiting)) == 3


async def test_who_leaves_the_queue_is_forgotten(detector: Any) -> None:
    """The place is free at once, and the model never sees the sweep."""
    async with started(detector, max_queue=1) as engine:
        detector.go.clear()
        running = detect(engine)
        await until(lambda: len(detector.sweeps) == 2)
        left = asyncio.ensure_future(detect(engine))
        await until(lambda: engine.queue_length == 1)
        left.cancel()
        await until(lambda: engine.queue_length == 0)
        stays = detect(engine)
        await until(lambda: engine.queue_length == 1)
        detector.go.set()
        await asyncio.gather(running, stays)
        assert len(detector.sweeps) == 3


async def test_late_work_is_not_begun(detector: Any) -> None:
    """A budget that ran out in the queue."""
    async with started(detector) as engine:
        with pytest.raises(DeadlineError, match="before the detection could begin"):
            await detect(engine, budget_s=0.0)
        assert len(detector.sweeps) == 1


@pytest.mark.parametrize("error", [ModelInputError("no points"), ZeroDivisionError()])
async def test_the_engine_survives_a_failing_model(detector: Any, error: Exception) -> None:
    """The error goes to the request that met it, the next is answered."""
    async with started(detector) as engine:
        detector.error = error
        with pytest.raises(type(error)):
            await detect(engine)
        detector.error = None
        await detect(engine)


async def test_a_model_that_does_not_answer_is_not_started(detector: Any) -> None:
    """The warm-up's error is the start's."""
    detector.error = ModelLoadError("engine build failed")
    engine = LocalEngine(detector)
    with pytest.raises(ModelLoadError, match="engine build failed"):
        await engine.start()
    await engine.close()


async def test_closing_finishes_what_runs_and_fails_what_waits(detector: Any) -> None:
    """And refuses what comes."""
    async with started(detector) as engine:
        detector.go.clear()
        running = detect(engine)
        await until(lambda: len(detector.sweeps) == 2)
        waiting = detect(engine)
        await until(lambda: engine.queue_length == 1)
        closing = asyncio.ensure_future(engine.close())
        with pytest.raises(LinkUnavailableError):
            await waiting
        detector.go.set()
        await asyncio.gather(running, closing)
        with pytest.raises(LinkUnavailableError):
            await detect(engine)


async def test_an_engine_that_never_started_closes() -> None:
    """A server that could not listen closes it so."""
    await LocalEngine(object()).close()  # type: ignore[arg-type]
