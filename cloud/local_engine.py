"""Inference in this process: one detector, a few threads, a short queue before them."""

from __future__ import annotations

import asyncio
import threading
import time

from vedette.cloud.budget import Budget
from vedette.cloud.inference import Inference
from vedette.cloud.job_queue import JobQueue
from vedette.cloud.warmup import WARM_UP_BUDGET_S, warm_up_camera, warm_up_sweep
from vedette.detections import Detector3D
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera


class LocalEngine:
    """Runs a detector on threads of this process (its runtime lets go of Python's lock while it computes).

    Args:
        detector: called from `workers` threads at once, so with more than one it must not keep state between calls.
        max_queue: requests that may wait. More smooths bursts, but whoever waits gets an older answer.
        workers: detections at a time. More than the processor has room for makes every one slower.
    """

    def __init__(self, detector: Detector3D, max_queue: int = 4, workers: int = 1) -> None:
        self._detector = detector
        self._max_queue = max_queue
        self._jobs: JobQueue[Inference] = JobQueue(max_queue)
        self._threads = [
            threading.Thread(target=self._work, name=f"inference-{number}", daemon=True) for number in range(workers)
        ]

    @property
    def model_name(self) -> str:
        """Name and version of the model that answers."""
        return self._detector.name

    @property
    def max_queue(self) -> int:
        """Requests that may wait."""
        return self._max_queue

    @property
    def queue_length(self) -> int:
        """Requests that wait now."""
        return len(self._jobs)

    async def start(self) -> None:
        """Start the threads and let the model answer once.

        Raises:
            ModelError: it did not.
        """
        for thread in self._threads:
            thread.start()
        await self.detect(warm_up_sweep(), warm_up_camera(), Budget(WARM_UP_BUDGET_S))

    async def detect(self, sweep: Sweep, camera: PinholeCamera, budget: Budget) -> Inference:
        """Wait for a turn, then detect. Cancelling it gives up the turn.

        Args:
            sweep: the points.
            camera: the answer covers its view.
            budget: checked before the detection begins.

        Raises:
            OverloadedError: too many are waiting; said at once.
            DeadlineError: the budget ran out before its turn came.
            LinkUnavailableError: the engine is stopping.
            ModelError: the model failed on this input.
        """
        queued_ns = time.perf_counter_ns()
        future = self._jobs.put(lambda: self._infer(sweep, camera, budget, queued_ns))
        return await asyncio.wrap_future(future)

    async def close(self) -> None:
        """Refuse what waits, finish what runs, and let the threads go."""
        self._jobs.close()
        for thread in self._threads:
            if thread.is_alive():
                await asyncio.to_thread(thread.join)

    def _work(self) -> None:
        while (job := self._jobs.take()) is not None:
            job.run()

    def _infer(self, sweep: Sweep, camera: PinholeCamera, budget: Budget, queued_ns: int) -> Inference:
        budget.check("the detection")
        started_ns = time.perf_counter_ns()
        detections = self._detector.detect(sweep, camera)
        ended_ns = time.perf_counter_ns()
        stage_ms = {"queue": (started_ns - queued_ns) / 1e6, "detect3d": (ended_ns - started_ns) / 1e6}
        return Inference(detections, stage_ms)
