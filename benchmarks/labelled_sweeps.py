"""What the benchmarks of the world's realism share: groups of sources, and the sweeps of each with their labels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from itertools import islice

from vedette.datasets.recording import Recording
from vedette.datasets.source_spec import open_recording
from vedette.datasets.synth.recording import SynthRecording, world_of
from vedette.evaluation.objects import CameraObjects
from vedette.frames import Frame, FrameItem


def groups(sources: Sequence[str]) -> Iterator[list[str]]:
    """The sources up to each ``/``.

    Args:
        sources: names of recordings, and ``/`` between groups.
    """
    group: list[str] = []
    for source in [*sources, "/"]:
        if source != "/":
            group.append(source)
        elif group:
            yield group
            group = []


def labelled_sweeps(
    source: str, every: int, fold: Collection[int] | None
) -> Iterator[tuple[Frame, CameraObjects | None]]:
    """Frames with a sweep, and their labels; of worlds without pictures, which nobody looks at here.

    Args:
        source: name of a recording.
        every: one frame in so many is used; where a fold is chosen, all of an object source, which is no sequence.
        fold: frame numbers that are used of object sources; None for all.
    """
    of_fold = fold is not None and source.startswith("kitti-object:")
    with closing(_open(source)) as recording:
        for frame in _chosen(recording, 1 if of_fold else every):
            left_out = of_fold and fold is not None and frame.index not in fold
            if not left_out and isinstance(frame, Frame) and frame.sweep is not None:
                yield frame, recording.labels(frame.index)


def _open(source: str) -> Recording:
    kind, _, rest = source.partition(":")
    if kind != "synth":
        return open_recording(source)
    scenario, seed, frames = rest.split(":")
    first, last = map(int, frames.split("-"))
    return SynthRecording(world_of(scenario, int(seed), last + 1), range(first, last + 1), int(seed), with_images=False)


def _chosen(recording: Recording, every: int) -> Iterator[FrameItem]:
    """One frame in so many; those of a world between are not even made."""
    if isinstance(recording, SynthRecording):
        yield from map(recording.frame, recording.frames[::every])
    else:
        yield from islice(recording, 0, None, every)
