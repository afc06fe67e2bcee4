"""Whether objects keep their names: identity switches, fragmentations and IDF1.

Definition, for one class and a 3D IoU minimum, over the frames of one recording in order. Labels count and detections
take part as in F1 (module `f1`): the same range, height, occlusion and score cut.

- In each frame labels that count and detections are paired one to one where their IoU is more than the minimum: pairs
  of a label and the track that it was paired with last are kept first, then as many others as possible, then those of
  the greatest sum of IoU (Bernardin and Stiefelhagen, "Evaluating Multiple Object Tracking Performance: The CLEAR MOT
  Metrics", 2008, section 2.1; there the pairs of the frame before are kept, here also those before a gap).
- *Identity switch*: a label is paired with another track than when it was paired last, be that in the frame before or
  before a gap. *Fragmentation*: a label is paired again after frames in which it counted and was not.
- *Label tracks*: labelled objects that count in at least one frame.
- *IDF1* (Ristani et al., "Performance Measures and a Data Set for Multi-target, Multi-camera Tracking", 2016): every
  labelled object is given one track at most, and the other way round, so that the number of frames in which the two
  overlap is greatest in sum. With that number in the place of F1's true positives, it is F1 of boxes with the right
  name: never above F1 itself, of whose denominator it has the same.

Nothing is defined where labels or detections have no identities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from vedette.evaluation.f1 import count_matches, counting_labels, present_detections
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import Target
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

_NONE: Final = -1


@dataclass(frozen=True)
class IdentityCounts:
    """What became of the names.

    Args:
        label_tracks: labelled objects that count in at least one frame.
        switches: of the track that a labelled object is paired with.
        fragmentations: pairings taken up again after a gap.
        idf1: 0 to 100; None where no label counts.
    """

    label_tracks: int
    switches: int
    fragmentations: int
    idf1: float | None


def count_identities(table: Table, target: Target, min_overlap: float) -> IdentityCounts | None:
    """Follow the labelled objects of one class through a recording.

    Args:
        table: labels and detections of the frames of one recording, in order.
        target: the class.
        min_overlap: 3D IoU that a pair must exceed, above 0 and below 1.

    Returns:
        The counts; None where a label that counts or a detection that takes part has no identity.
    """
    counting = counting_labels(table.labels, target)
    present = present_detections(table.detections, target)
    label_ids, track_ids = table.labels.track_ids, table.detections.track_ids
    if (label_ids[counting] == _NONE).any() or (track_ids[present] == _NONE).any():
        return None
    walk = _Walk()
    for frame_labels, pairs in _frames(table, counting, present, min_overlap):
        walk.step(frame_labels, pairs)
    matches = count_matches(table, target, Metric.BOX, min_overlap)
    boxes = 2 * matches.true_positives + matches.false_positives + matches.false_negatives
    idf1 = 200.0 * _rightly_named(walk.met) / boxes if matches.labels else None
    return IdentityCounts(len(np.unique(label_ids[counting])), walk.switches, walk.fragmentations, idf1)


@dataclass(frozen=True)
class _Pairs:
    """Labels and tracks of one frame that overlap, one pair a row.

    Args:
        label_ids: ``(P,) int64``.
        track_ids: ``(P,) int64``.
        overlap: ``(P,)`` 3D IoU.
    """

    label_ids: NDArrayInt
    track_ids: NDArrayInt
    overlap: NDArrayFloat


def _frames(
    table: Table, counting: NDArrayBool, present: NDArrayBool, min_overlap: float
) -> Iterator[tuple[Sequence[int], _Pairs]]:
    """Of every frame with labels that count: their identities, and the pairs that may be made."""
    labels, overlap = table.labels, table.overlaps[Metric.BOX]
    usable = np.flatnonzero(counting[table.pair_label] & present[table.pair_detection] & (overlap > min_overlap))
    label, detection = table.pair_label[usable], table.pair_detection[usable]
    pair_frame = labels.frame[label]
    for frame in np.unique(labels.frame[counting]):
        own = slice(*np.searchsorted(pair_frame, [frame, frame + 1]))
        pairs = _Pairs(labels.track_ids[label[own]], table.detections.track_ids[detection[own]], overlap[usable[own]])
        yield labels.track_ids[counting & (labels.frame == frame)].tolist(), pairs


@dataclass
class _Walk:
    """Frame by frame through a recording; filled on the way.

    Args:
        switches: so far.
        fragmentations: so far.
        met: in how many frames a label and a track overlapped, whatever they were paired with.
    """

    switches: int = 0
    fragmentations: int = 0
    met: Counter[tuple[int, int]] = field(default_factory=Counter)
    _last: dict[int, int] = field(default_factory=dict)
    _interrupted: set[int] = field(default_factory=set)

    def step(self, label_ids: Sequence[int], pairs: _Pairs) -> None:
        """Take in the next frame.

        Args:
            label_ids: of the labels that count in it.
            pairs: that may be made.
        """
        self.met.update(zip(pairs.label_ids.tolist(), pairs.track_ids.tolist(), strict=True))
        paired = self._paired(pairs)
        self._interrupted.update(label for label in label_ids if label in self._last and label not in paired)
        for label, track in paired.items():
            self.switches += self._last.get(label, track) != track
            self.fragmentations += label in self._interrupted
        self._interrupted.difference_update(paired)
        self._last.update(paired)

    def _paired(self, pairs: _Pairs) -> dict[int, int]:
        """The track of each label that gets one."""
        labels, row = np.unique(pairs.label_ids, return_inverse=True)
        tracks, column = np.unique(pairs.track_ids, return_inverse=True)
        kept = [
            self._last.get(label) == track
            for label, track in zip(pairs.label_ids.tolist(), pairs.track_ids.tolist(), strict=True)
        ]
        # each level outweighs all that the levels below can sum up to; IoU is at most 1
        most = min(len(labels), len(tracks)) + 1
        gain = np.zeros((len(labels), len(tracks)))
        gain[row, column] = pairs.overlap + most + most**2 * np.array(kept, np.float64)
        rows, columns = linear_sum_assignment(gain, maximize=True)
        good = gain[rows, columns] > 0
        return dict(zip(labels[rows[good]].tolist(), tracks[columns[good]].tolist(), strict=True))


def _rightly_named(met: Counter[tuple[int, int]]) -> int:
    """Frames in which labelled objects overlap the one track that each is given, at best."""
    if not met:
        return 0
    labels, row = np.unique([label for label, _ in met], return_inverse=True)
    tracks, column = np.unique([track for _, track in met], return_inverse=True)
    frames = np.zeros((len(labels), len(tracks)), np.int64)
    frames[row, column] = list(met.values())
    return int(frames[linear_sum_assignment(frames, maximize=True)].sum())
