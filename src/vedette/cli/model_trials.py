"""A model on trial: what is asked of it, what came out, and how its time is taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from vedette.datasets.labelled import LabelledFrame
    from vedette.evaluation.bootstrap import Evaluation
    from vedette.frames import Sweep

Found = TypeVar("Found")


@dataclass(frozen=True)
class Question:
    """What is asked of every model.

    Args:
        recalls: of cars, at which false boxes are counted.
        resamples: how often drives are drawn for intervals.
        seed: of the draws.
    """

    recalls: tuple[float, ...]
    resamples: int
    seed: int


@dataclass(frozen=True)
class Outcome:
    """What a trial came to.

    Args:
        model: as it was named.
        counts: of frames and drives.
        evaluation: by metric key.
        definitions: of the figures, to be printed beside them.
    """

    model: str
    counts: dict[str, int]
    evaluation: Evaluation
    definitions: Mapping[str, str]

    def as_run(self) -> dict[str, object]:
        """The entry under `runs`."""
        bounds = self.evaluation.intervals
        ends = {key: None if bound is None else [bound.low, bound.high] for key, bound in bounds.items()}
        draws = {key: 0 if bound is None else bound.draws for key, bound in bounds.items()}
        return {
            "model": self.model,
            **self.counts,
            **self.evaluation.figures,
            **{f"interval95.{key}": value for key, value in ends.items()},
            **{f"interval95_draws.{key}": value for key, value in draws.items()},
        }


class Trial(Protocol):
    """A model on trial."""

    def see(self, item: LabelledFrame, sweep: Sweep | None, /) -> None:
        """Detect in one more frame.

        Args:
            item: a frame, which is set aside where it cannot be read or has no labels.
            sweep: of the frame, with earlier ones joined where that was asked for; None where there is none.
        """
        ...

    def outcome(self, question: Question) -> Outcome:
        """What came out of all frames.

        Args:
            question: what is asked.
        """
        ...


@dataclass
class Watch:
    """Times calls, the first one left out of the figures: in it memory is fetched."""

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    def timed(self, call: Callable[[], Found]) -> Found:
        """The call's result."""
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        self.cpu_s.append(time.process_time() - cpu)
        self.wall_s.append(time.perf_counter() - wall)
        return result

    def figures(self) -> dict[str, float | None]:
        """Milliseconds by the clock, and of CPU time of all threads: on a busy machine the clock shows more."""
        figures: dict[str, float | None] = {}
        for name, seconds in (("detect_ms", self.wall_s[1:]), ("detect_cpu_ms", self.cpu_s[1:])):
            for percentile in (50, 90):
                value = 1e3 * float(np.percentile(seconds, percentile)) if seconds else None
                figures[f"{name}.p{percentile}"] = value
        return figures
