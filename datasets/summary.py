"""What a recording holds, found by reading all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from vedette.datasets.recording import Recording
from vedette.errors import DataError
from vedette.frames import BadFrame, Frame, TimeBase


@dataclass(frozen=True)
class RecordingSummary:
    """A recording in figures.

    Args:
        name: of the recording.
        time_base: where its capture times come from.
        frame_count: frames delivered, bad ones included.
        bad_frame_count: frames that cannot be used.
        missing_frame_count: frames that the timestamps speak of and that are not there.
        first_index: number of the first frame, or None when there is none.
        last_index: number of the last frame, or None likewise.
        duration_ns: from the first to the last capture time.
        sweep_count: sound frames with a sweep.
        point_count: points in all sweeps.
        image_count: sound frames with an image.
        pose_count: sound frames with ego motion.
        labelled_count: frames with labels.
        labels_by_type: labelled objects by KITTI's type, most frequent first.
        problems: what is wrong or lacking, one sentence each.
    """

    name: str
    time_base: TimeBase
    frame_count: int
    bad_frame_count: int
    missing_frame_count: int
    first_index: int | None
    last_index: int | None
    duration_ns: int
    sweep_count: int
    point_count: int
    image_count: int
    pose_count: int
    labelled_count: int
    labels_by_type: Mapping[str, int]
    problems: tuple[str, ...]


@dataclass
class _Tally:
    counts: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)
    stamps_ns: list[int] = field(default_factory=list)

    def add(self, item: Frame | BadFrame) -> None:
        self.indices.append(item.index)
        self.stamps_ns.append(item.stamp_ns)
        if isinstance(item, BadFrame):
            self.counts["bad"] += 1
            self.problems.append(f"frame {item.index}: {item.error}")
            return
        self.counts["sweeps"] += item.sweep is not None
        self.counts["points"] += 0 if item.sweep is None else len(item.sweep)
        self.counts["images"] += item.image is not None
        self.counts["poses"] += item.world_SE3_ego is not None

    def add_labels(self, recording: Recording, index: int) -> None:
        try:
            objects = recording.labels(index)
        except DataError as error:
            self.problems.append(f"frame {index}: {error}")
            return
        if objects is not None:
            self.counts["labelled"] += 1
            self.labels.update(objects.types)


def summarise(recording: Recording) -> RecordingSummary:
    """Read every frame and every label of a recording.

    Args:
        recording: is iterated once and stays open.
    """
    tally = _Tally(problems=list(recording.problems))
    for item in recording:
        tally.add(item)
        tally.add_labels(recording, item.index)
    stamps_ns = tally.stamps_ns
    return RecordingSummary(
        name=recording.name,
        time_base=recording.time_base,
        frame_count=len(tally.indices),
        bad_frame_count=tally.counts["bad"],
        missing_frame_count=recording.missing_frame_count,
        first_index=tally.indices[0] if tally.indices else None,
        last_index=tally.indices[-1] if tally.indices else None,
        duration_ns=stamps_ns[-1] - stamps_ns[0] if stamps_ns else 0,
        sweep_count=tally.counts["sweeps"],
        point_count=tally.counts["points"],
        image_count=tally.counts["images"],
        pose_count=tally.counts["poses"],
        labelled_count=tally.counts["labelled"],
        labels_by_type=dict(tally.labels.most_common()),
        problems=tuple(tally.problems),
    )
