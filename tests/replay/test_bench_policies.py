"""The benchmark of policies: its runs are those of a simulation without memory, and its tables pool them."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.config import Settings
from vedette.replay.evaluate import evaluate_run
from vedette.replay.models import SimulatedModels
from vedette.replay.network import parse_network
from vedette.replay.simulate import Simulation
from vedette.replay.stopwatch import Stopwatch
from vedette.replay.truth import read_truth

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
POLICIES = ("edge-only", "cloud-only:raw", "moby", "constant-velocity")
NETWORKS = ("none", "constant:1mbps,delay=20ms")


@pytest.fixture(autouse=True)
def on_path(monkeypatch):
    """The benchmarks import one another as scripts do."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.fixture
def matrix():
    from policy_runs import Matrix

    return Matrix.of(POLICIES, NETWORKS, ["x86-2core", "x86-2core-4x-slower"], 0.5)


@pytest.fixture
def runs(monkeypatch, street, detectors, device_detector3d, matrix):
    """All runs over a short street."""
    import policy_runs

    models = SimulatedModels(detectors[0], {"usual": device_detector3d}, "usual", detectors[1])
    monkeypatch.setattr(policy_runs, "open_recording", lambda source: street(15))
    monkeypatch.setattr(policy_runs, "simulated_models", lambda policies, settings, watch: models)
    return list(policy_runs.SourceRuns("synth:street:1", matrix, Settings()))


def test_every_combination_runs_once(runs):
    """Three policies over two links on two profiles; edge-only, which needs none, once on each; the bare detectors."""
    names = [(run["policy"], run["network"], run["profile"]) for run in runs]
    assert len(names) == len(set(names)) == 3 * 2 * 2 + 2 + 2
    assert ("edge-only", "any", "x86-2core") in names
    assert ("moby", NETWORKS[1], "x86-2core-4x-slower") in names
    assert ("cloud detector at once", "any", "any") in names


def test_runs_are_those_without_memory(runs, matrix, street, detectors, device_detector3d):
    """Each figure of each run, from parts that neither remember nor share anything."""
    recording = street(15)
    truth = read_truth(recording)
    for run in runs[2:]:
        [policy] = [policy for policy in matrix.policies if str(policy) == run["policy"]]
        [profile] = [profile for profile in matrix.profiles if profile.name == run["profile"]]
        network = parse_network("none" if run["network"] == "any" else run["network"])
        parts = (detectors[0], {"usual": device_detector3d}, "usual", detectors[1])
        simulation = Simulation(recording, Settings().edge, network, profile, *parts)
        expected = evaluate_run(simulation.run(policy, truth[0].stamp_ns, Stopwatch(), lambda: None), truth)
        shared = {key: run[key] for key in run.keys() & expected.keys() if key != "latency_ms"}
        assert shared == {key: expected[key] for key in shared}
        assert {"bytes_up", "ap.r40.car.3d.0.5.moderate", "answered_frames", "lost"} <= shared.keys()
        blocks = run["blocks.vehicle.3d.0.5.r50"]
        assert [sum(column) for column in zip(*blocks, strict=True)] == [
            expected[f"{count}.vehicle.3d.0.5.r50"] for count in ("tp", "fp", "fn")
        ]


def test_bare_detectors(runs):
    """The fakes see the car in every frame, where it is, and at once."""
    assert [run["policy"] for run in runs[:2]] == ["cloud detector at once", "device detector at once"]
    assert all(run["blocks.vehicle.3d.0.5.r50"] == [[15, 0, 0]] for run in runs[:2])


def test_a_score_cut_of_their_own(monkeypatch, street, detectors, device_detector3d):
    """Boxes below it are not there: the fakes are sure to 0.9."""
    import policy_runs

    models = SimulatedModels(detectors[0], {"usual": device_detector3d}, "usual", detectors[1])
    monkeypatch.setattr(policy_runs, "open_recording", lambda source: street(5))
    monkeypatch.setattr(policy_runs, "simulated_models", lambda policies, settings, watch: models)
    matrix = policy_runs.Matrix.of(["edge-only"], ["none"], ["x86-2core"], 0.95)
    cloud, device, _ = policy_runs.SourceRuns("synth:street:1", matrix, Settings())
    assert cloud["blocks.vehicle.3d.0.5.r50"] == device["blocks.vehicle.3d.0.5.r50"] == [[0, 0, 5]]


def made_up(policy, source, blocks, *, network="none", profile="x86-2core", ap=50.0):
    """A run whose counts, online and streaming, and at both overlaps, are given."""
    keys = ("vehicle.3d.0.5.r50", "vehicle.bev.0.7.r50")
    return {
        "policy": policy, "source": source, "network": network, "profile": profile, "frames": 100,
        **{f"{prefix}blocks.{key}": blocks for key in keys for prefix in ("", "streaming_")},
        "ap.r40.car.3d.0.5.moderate": ap, "streaming_ap.r40.car.3d.0.5.moderate": ap,
        "latency_ms": {"p50": 10.0, "p95": 20.0, "p99": None},
        "answered_frames": 50, "offloaded_frames": 15, "bytes_up": 500_000,
    }  # fmt: skip


TOWN, PARK = "kitti-tracking:/worlds/town-11:0000", "synth:car-park:7:0-99"


def test_scenarios_are_named_by_folder_or_world():
    from policy_pool import scenario_of

    assert [scenario_of(TOWN), scenario_of(PARK)] == ["town", "car-park"]


def test_pooled_by_counts():
    """6 of 8 found with 2 wrong, and all of 2: (6 + 2) / (8 + (2 + 2) / 2), each scenario alone beside it."""
    from policy_pool import Pool

    pool = Pool({TOWN: made_up("a", TOWN, [[4, 2, 0], [2, 0, 2]]), PARK: made_up("a", PARK, [[2, 0, 0]])})
    key = "blocks.vehicle.3d.0.5.r50"
    assert pool.f1(key) == pytest.approx(80.0)
    assert {name: one.f1(key) for name, one in pool.scenarios.items()} == pytest.approx({"car-park": 100, "town": 75})
    assert pool.mean("latency_ms.p50") == 10.0
    assert pool.mean("latency_ms.p99") is None
    assert pool.per_frame("bytes_up") == 5000.0
    figure = pool.figure(key)
    assert figure.low <= figure.value <= figure.high


def test_differences_are_over_recordings_that_both_have():
    """The second recording, where one of them found nothing, is left out; of equal runs every draw is the same."""
    from policy_pool import Pool

    ours = Pool({TOWN: made_up("a", TOWN, [[4, 2, 0], [2, 0, 2]]), PARK: made_up("a", PARK, [[0, 0, 9]])})
    theirs = Pool({TOWN: made_up("b", TOWN, [[4, 2, 0], [2, 0, 2]])})
    assert str(ours.above(theirs, "blocks.vehicle.3d.0.5.r50")) == "0.0 [0.0, 0.0]"


def test_tables():
    """Policies without a link fill all columns, the best is bold, what did not run is a dash."""
    from policy_pool import Results
    from report_policies import accuracy_table, difference_table, streaming_table

    runs = [
        made_up("cloud detector at once", TOWN, [[4, 0, 0]], network="any", profile="any"),
        made_up("edge-only", TOWN, [[3, 0, 1]], network="any", ap=40.0),
        made_up("moby", TOWN, [[3, 1, 1]], ap=60.0),
        made_up("moby", TOWN, [[2, 0, 2]], network="slow", ap=30.0),
        made_up("constant-velocity", TOWN, [[1, 0, 3]], ap=None),
    ]
    results = Results(runs)
    assert streaming_table(results, "x86-2core").splitlines()[2:] == [
        "| `edge-only` | 40.0 / 85.7 | **40.0 / 85.7** |",
        "| `moby` | **60.0 / 75.0** | 30.0 / 66.7 |",
        "| `constant-velocity` | - / 40.0 | - |",
    ]
    accuracy = accuracy_table(results, "none", "x86-2core").splitlines()
    assert accuracy[2].startswith("| `cloud detector at once` | 100.0 [100.0, 100.0] |")
    assert accuracy[4] == "| `moby` | 75.0 [75.0, 75.0] | 75.0 [75.0, 75.0] | 75 / 75 | 60.0 | 15.0 |"
    assert difference_table(results, "none", "x86-2core").splitlines()[2:4] == [
        "| cloud detector at once − moby | 25.0 [25.0, 25.0] | 25.0 [25.0, 25.0] |",
        "| moby − constant-velocity | 35.0 [35.0, 35.0] | 35.0 [35.0, 35.0] |",
    ]


def test_figures_over_fewer_recordings_say_so():
    """One of two: in the row of its policy, and in its cell."""
    from policy_pool import Results
    from report_policies import accuracy_table, bytes_table

    runs = [made_up("moby", source, [[3, 1, 1]]) for source in (TOWN, PARK)]
    results = Results([*runs, made_up("hold-last", PARK, [[3, 1, 1]])])
    _, _, moby, hold_last = accuracy_table(results, "none", "x86-2core").splitlines()
    assert moby.startswith("| `moby` | 75.0")
    assert hold_last.startswith("| `hold-last` (1 of 2 recordings) | 75.0")
    assert bytes_table(results, "x86-2core").splitlines()[2:] == [
        "| `moby` | 5.0 (15.0) |",
        "| `hold-last` | 5.0 (15.0) (1 of 2 recordings) |",
    ]


def test_a_source_that_is_done_is_left_out(monkeypatch, tmp_path, capsys):
    """Unless the settings have changed; the file is there only when all of it is."""
    import bench_policies

    monkeypatch.setattr(bench_policies, "SourceRuns", lambda source, matrix, settings: [made_up("moby", source, [])])
    for interval in (7, 7, 14):
        bench_policies.main([TOWN], json_folder=tmp_path, policy=["moby"], interval=interval)
    first, second, third = capsys.readouterr().out.splitlines()
    assert "1 runs" in first
    assert second == f"{TOWN}: done before"
    assert "1 runs" in third
    assert [path.name for path in tmp_path.iterdir()] == ["kitti-tracking-worlds-town-11-0000.json"]
