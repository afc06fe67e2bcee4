"""What the page is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vedette.replay.record import RunRecord
from vedette.replay.report.palette import policy_colour
from vedette.replay.report.pictures import Snapshot
from vedette.replay.truth import TrueFrame


@dataclass(frozen=True)
class ReportInput:
    """All that the page shows.

    Args:
        title: of the page.
        facts: name and value of what defines the report: source, network, models.
        notes: what readers must know, one sentence each.
        document: the report's JSON.
        records: the runs, in the order of the document's.
        truth: every item of the recording.
        snapshots: the frames shown as pictures.
    """

    title: str
    facts: Mapping[str, str]
    notes: Sequence[str]
    document: Mapping[str, Any]
    records: Sequence[RunRecord]
    truth: Sequence[TrueFrame]
    snapshots: Sequence[Snapshot]

    @property
    def policies(self) -> list[str]:
        """Names in order."""
        return [record.policy for record in self.records]

    @property
    def start_ns(self) -> int:
        """Capture of the first frame: 0 s in every plot."""
        return self.truth[0].stamp_ns

    def colour(self, policy: str) -> str:
        """The policy's colour."""
        return policy_colour(policy, self.policies)
