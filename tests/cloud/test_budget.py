"""Budgets, on a clock of our own."""

from __future__ import annotations

import pytest

from vedette.cloud.budget import Budget
from vedette.errors import DeadlineError


class Ticks:
    def __init__(self) -> None:
        self.now_ns = 5_000

    def __call__(self) -> int:
        return self.now_ns


def test_a_budget_counts_down_from_its_making() -> None:
    """Half a second after the making of a budget of two, one and a half are left."""
    clock = Ticks()
    budget = Budget(2.0, clock)
    clock.now_ns += 500_000_000
    assert budget.remaining_s == pytest.approx(1.5)
    budget.check("anything")


@pytest.mark.parametrize(("passed_ns", "late"), [(1_999_999_999, False), (2_000_000_000, True), (3_000_000_000, True)])
def test_both_sides_of_the_end(passed_ns: int, late: bool) -> None:
    """The last nanosecond is in time, the end itself is not."""
    clock = Ticks()
    budget = Budget(2.0, clock)
    clock.now_ns += passed_ns
    if not late:
        budget.check("x")
        return
    with pytest.raises(DeadlineError, match=r"budget of 2000 ms ran out .* before the detection could begin"):
        budget.check("the detection")


def test_a_budget_may_be_spent_from_the_start() -> None:
    """A request that arrives after its deadline."""
    with pytest.raises(DeadlineError):
        Budget(-0.1).check("x")
