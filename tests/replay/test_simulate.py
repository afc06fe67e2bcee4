"""Whole runs on the simulated clock, over a street with one parked car."""

from __future__ import annotations

import json

import pytest

from vedette.edge.offload.link import LossReason


def test_every_policy_publishes_every_frame(simulated, street):
    """Whatever the policy, each frame has a publication, and each request an outcome."""
    records, truth, runs = simulated(street(20))
    for record, run in zip(records, runs, strict=True):
        assert {publication.frame_index for publication in record.publications} == set(range(20))
        assert len(record.answers) + len(record.losses) == len(record.offered)
        assert run["frames"] == run["labelled_frames"] == len(truth) == 20
        assert run["answered_frames"] + run["propagated_frames"] == 20


@pytest.mark.parametrize(
    ("policy", "on_device", "in_cloud"),
    [("edge-only", True, False), ("cloud-only", False, True), ("moby", False, True)],
)
def test_device_and_cloud_have_models_of_their_own(
    simulated, street, detectors, device_detector3d, policy, on_device, in_cloud
):
    """Only edge-only asks the device's."""
    simulated(street(10), policies=(policy,))
    assert (device_detector3d.calls > 0, detectors[1].calls > 0) == (on_device, in_cloud)


def test_policies_differ_as_they_are_defined(simulated, street):
    """moby answers all frames itself and sends one in seven; the others offer all and answer what they can."""
    _, _, (edge, cloud, moby) = simulated(street(20))
    assert (moby["answered_frames"], moby["offloaded_frames"]) == (20, 3)
    assert moby["offloaded_share"] == 0.15
    assert edge["offered_frames"] == cloud["offered_frames"] == 20
    assert (edge["offloaded_frames"], edge["offloaded_share"]) == (0, 0.0)
    assert cloud["offloaded_frames"] == 20 - cloud["lost"]["superseded"] < 20
    assert 1 < edge["answered_frames"] < 20
    assert 1 < cloud["answered_frames"] < 20
    assert edge["bytes_up"] == edge["bytes_down"] == 0
    assert cloud["bytes_up"] > moby["bytes_up"] > 0
    assert edge["lost"] == {"superseded": 20 - edge["answers"]}


def test_a_parked_car_is_found(simulated, street):
    """Boxes from the detector are the labels; lifted ones come near."""
    _, _, (edge, cloud, moby) = simulated(street(40))
    assert edge["f1.car.3d.0.5.r50"] > 60
    assert cloud["f1.car.3d.0.5.r50"] > 60
    assert moby["f1.car.3d.0.5.r50"] > 90
    assert moby["streaming_f1.car.3d.0.5.r50"] > 80


def test_stages_add_up_to_the_latency(simulated, street):
    """With the same latency for each frame, the mean of its stages is its median."""
    _, _, runs = simulated(street(20), network="none", offload={"interval": 50})
    moby = runs[2]
    assert sum(moby["latency_ms"]["stages"].values()) == pytest.approx(moby["latency_ms"]["p50"], abs=0.01)
    assert moby["latency_ms"]["stages"]["capture"] == 50.0
    assert "decide" not in moby["latency_ms"]["stages"]


@pytest.mark.parametrize("network", ["constant:8mbps,delay=10ms", "fading:5,mean=1mbps,outage=0.2,delay=30ms"])
def test_twice_the_same(simulated, street, network):
    """Two runs give the same report, bit for bit."""
    first = simulated(street(30), network=network)[2]
    second = simulated(street(30), network=network)[2]
    assert json.dumps(first) == json.dumps(second)


def test_outage_for_ever(simulated, street):
    """Without a network the cloud's policies lose every request and the run still ends; moby goes on alone."""
    _, _, (edge, cloud, moby) = simulated(street(20), network="constant:0mbps")
    assert edge["answers"] > 0
    assert cloud["answers"] == moby["answers"] == 0
    assert sum(cloud["lost"].values()) == 20
    assert cloud["lost"]["deadline"] >= 1
    assert moby["answered_frames"] == 20
    assert cloud["latency_ms"] == {"p50": None, "p95": None, "p99": None, "stages": {}}


def test_bad_frames_are_counted(simulated, street):
    """A truncated frame gets propagated boxes, is named, and costs nobody the run."""
    records, _, runs = simulated(street(20, bad=[0, 5]))
    for record, run in zip(records, runs, strict=True):
        assert run["bad_frames"] == 2
        assert record.bad[5] == "frame 5 is truncated"
        assert 5 not in record.own_stage_ms
        assert run["frames"] == 20


def test_deadline_is_the_settings(simulated, street):
    """Answers that take longer than the deadline are lost by it."""
    records, _, _ = simulated(street(20), policies=["cloud-only"], offload={"deadline_ms": 300})
    assert {loss.reason for loss in records[0].losses} == {LossReason.DEADLINE, LossReason.SUPERSEDED}
    assert records[0].answers == []
