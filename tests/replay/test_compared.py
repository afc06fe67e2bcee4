"""The few figures that policies are compared by are those of the whole evaluation."""

from __future__ import annotations

import pytest

from vedette.replay.compared import AP_KEY, F1_KEYS, STREAMING, compared_figures
from vedette.replay.in_memory import InMemoryRecording

POLICIES = ("edge-only", "cloud-only:coded", "hold-last", "constant-velocity", "frustum-cluster", "moby", "moby-device")


@pytest.mark.parametrize("recording", [{}, {"bad": (0, 5)}, {"unlabelled": (3, 11)}])
def test_figures_are_those_of_the_evaluation(simulated, street, recording):
    """Counts add up to its counts, and all else is the same, also over bad and unlabelled frames."""
    records, truth, runs = simulated(street(12, **recording), POLICIES)
    for record, run in zip(records, runs, strict=True):
        figures = compared_figures(record, truth)
        for key in F1_KEYS:
            for prefix in ("", STREAMING):
                counts = [sum(column) for column in zip(*figures.pop(f"{prefix}blocks.{key}"), strict=True)]
                assert counts == [run[f"{prefix}{count}.{key}"] for count in ("tp", "fp", "fn")]
        assert figures.pop("latency_ms") == {name: run["latency_ms"][name] for name in ("p50", "p95", "p99")}
        assert figures == {name: run[name] for name in figures}
        assert {AP_KEY, f"{STREAMING}{AP_KEY}", "bytes_up", "offloaded_frames"} <= figures.keys()


def test_blocks_of_fifty_frames(simulated, street):
    """120 frames are two blocks and a shorter one, with a label in each frame."""
    [record], truth, _ = simulated(street(120), ("hold-last",))
    blocks = compared_figures(record, truth)[f"blocks.{F1_KEYS[0]}"]
    assert [found + missed for found, _, missed in blocks] == [50, 50, 20]


def test_a_recording_in_memory_is_the_recording(street):
    """Bad and unlabelled frames included; its items are read once."""
    read = street(6, bad=(2,), unlabelled=(4,))
    kept = InMemoryRecording(read)
    items = list(kept)
    assert [item.index for item in items] == list(range(6))
    assert all(one is other for one, other in zip(items, kept, strict=True))
    assert (kept.name, kept.time_base, kept.frame_count) == (read.name, read.time_base, 6)
    assert kept.labels(4) is None
    assert kept.labels(0).boxes_px.tolist() == read.labels(0).boxes_px.tolist()
    kept.close()
