"""A whole report over the street with one car."""

from __future__ import annotations

import pytest

from vedette.replay.report.input import ReportInput
from vedette.replay.report.pictures import snapshots_of


@pytest.fixture
def report_of(simulated):
    """Makes the page's input."""

    def make(recording, policies=("edge-only", "cloud-only", "moby"), **options):
        records, truth, runs = simulated(recording, policies, **options)
        return ReportInput(
            title="Replay of <street>",
            facts={"source": "street & car"},
            notes=["Times are <simulated>."],
            document={"schema": "s", "command": "replay", "config": {"interval": 7}, "runs": runs},
            records=records,
            truth=truth,
            snapshots=snapshots_of(recording, [3, 9]),
        )

    return make
