"""What a report says about itself."""

from __future__ import annotations

import dataclasses

import pytest

from vedette.config import OffloadConfig, Settings
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.policy import OffloadDecision
from vedette.models.catalog import known_cards
from vedette.replay.notes import class_notes, facts_of, notes_of, profile_notes, sending_of, training_notes
from vedette.replay.policies import parse_policies
from vedette.replay.record import RunRecord
from vedette.replay.request import replay_request
from vedette.replay.truth import read_truth

WORTH_IT = "what seems worth it, up to 0.07 of the frames, 5 MB a minute and 100 MB in thirty days"


@pytest.fixture
def notes(street, car):
    """Notes of one run with some losses and answers."""

    def make(cloud="10.0.0.7:50551", losses=(), answers=0, bad=None, unlabelled=()):
        recording = street(6, unlabelled=unlabelled)
        record = RunRecord(
            "moby",
            decisions=dict.fromkeys(range(len(losses) + answers), OffloadDecision(send=True, reason="interval")),
            losses=[Loss(i, 0, 0, reason, f"detail of {reason}", 0) for i, reason in enumerate(losses)],
            answers=[Answer(i, 0, 0, car(5.0), 1, 1, {}) for i in range(answers)],
            bad=bad or {},
        )
        request = replay_request("s", ["moby"], cloud, None, None)
        return " | ".join(notes_of(request, recording, [record], read_truth(recording)))

    return make


def test_absent_server_is_said_plainly(notes):
    """Where nobody ever answered, the note says so, with the address and what to run."""
    said = notes(losses=[LossReason.UNAVAILABLE] * 3)
    assert "no server answered at 10.0.0.7:50551; all 3 offered frames were lost" in said
    assert "vedette cloud serve" in said


def test_a_cloud_that_never_answered_in_time_is_said_too(notes):
    """Without a single answer there is a note, whatever the reasons."""
    said = notes(losses=[LossReason.SUPERSEDED, LossReason.DEADLINE, LossReason.SUPERSEDED, LossReason.DEADLINE])
    assert "not one request was answered: 2 deadline, 2 superseded; the last: detail of deadline" in said


def test_server_gone_for_a_while(notes):
    """Where some were answered, the lost ones are counted."""
    said = notes(losses=[LossReason.UNAVAILABLE] * 2, answers=5)
    assert "2 of 7 offered frames were lost" in said


@pytest.mark.parametrize("reason", [LossReason.REFUSED, LossReason.FAILED])
def test_errors_are_quoted(notes, reason):
    """Refusals and failures come with the first one's detail."""
    assert f"1 requests came back {reason}; the first: detail of {reason}" in notes(losses=[reason], answers=1)


def test_times_and_labels(notes):
    """Assumed times, where times come from, bad frames and missing labels."""
    assert "100 ms apart" in notes()
    assert "simulated from the network model" in notes(cloud="simulated")
    assert "agent and server share" in notes(cloud="embedded")
    assert "2 of 6 frames have no labels" in notes(unlabelled=[1, 2])
    assert "no accuracy figures" in notes(unlabelled=range(6))
    assert "1 bad frames got propagated boxes; the first, 4: truncated" in notes(bad={4: "truncated"})


def test_facts(street):
    """The network and the profile are facts of a simulated report only; models come with their training data."""
    cards = {card.task: card for card in known_cards()}
    used = {"2D detector": cards["detect2d"], "3D detector in the cloud": cards["detect3d"]}
    used["3D detector on the device"] = used["3D detector in the cloud"]
    simulated = replay_request("kitti-tracking:x:0000", ["moby"], "simulated", "constant:3mbps", None)
    remote = replay_request("s", ["moby"], "10.0.0.7:1", None, None)
    facts = facts_of(simulated, Settings(), street(1), used)
    assert facts["network"] == "constant:3mbps"
    assert "device profile" in facts
    assert facts["capture times"] == "assumed 10 Hz"
    assert facts["3D detector in the cloud"].startswith("point-gnn-car@1, trained on KITTI")
    [note] = training_notes(simulated, used)
    assert "point-gnn-car@1" in note
    facts = facts_of(remote, Settings(), street(1), {})
    assert "network" not in facts
    assert not [name for name in facts if name.startswith("3D detector")]
    assert training_notes(remote, used) == []


def test_kinds_that_the_cloud_does_not_know_are_named(street):
    """A row of zeros has its reason said; nothing where the model knows all that is labelled, or none is used."""
    cars_only = {"3D detector on the device": next(card for card in known_cards() if card.task == "detect3d")}
    truth = read_truth(street(2))
    kinds = {kind for frame in truth for kind in frame.labels.types}
    assert kinds == {"Car"}
    assert class_notes(cars_only, truth) == []
    people = dataclasses.replace(truth[0].labels, types=("Pedestrian",) * len(truth[0].labels))
    [note] = class_notes(cars_only, [dataclasses.replace(truth[0], labels=people), *truth[1:]])
    assert "does not know Pedestrian" in note
    assert class_notes({}, truth) == []


def test_a_model_of_vans_finds_trucks_as_such(street):
    """A row of zeros has its reason said here too, another one."""
    card = next(card for card in known_cards() if card.task == "detect3d")
    truth = read_truth(street(1))
    trucks = dataclasses.replace(truth[0].labels, types=("Truck",) * len(truth[0].labels))
    labelled = [dataclasses.replace(truth[0], labels=trucks)]
    [note] = class_notes({"": card.model_copy(update={"classes": ("Car", "Van")})}, labelled)
    assert "calls trucks vans: they count among vehicles" in note
    [note] = class_notes({"": card.model_copy(update={"classes": ("Car",)})}, labelled)
    assert "does not know Truck" in note
    assert class_notes({"": card.model_copy(update={"classes": ("Van", "Truck")})}, labelled) == []
    assert class_notes({"": card.model_copy(update={"classes": ("Car", "Van")})}, truth) == []


@pytest.mark.parametrize("model", ["car-2d@1", "edge@1", "cloud@1"])
def test_models_with_times_of_their_own_need_no_note(model):
    """Wherever the profile has them: among those measured, or those beside."""
    simulated = replay_request("s", ["moby"], "simulated", None, None)
    times = {"models": "car-2d@1", "edge_detectors_ms": {"edge@1": 1.0}, "cloud_detectors_ms": {"cloud@1": 1.0}}
    request = dataclasses.replace(simulated, profile=simulated.profile.model_copy(update=times))
    name, _, version = model.partition("@")
    card = next(iter(known_cards())).model_copy(update={"name": name, "version": version})
    assert profile_notes(request, {"": card}) == []


def test_times_of_other_models_are_said_to_be_that():
    """In a simulation only; masks are not timed."""
    cards = {card.task: card for card in known_cards()}
    simulated = replay_request("s", ["moby"], "simulated", None, None)
    own = f"{cards['detect2d'].label}, {cards['detect3d'].label}"
    times = {"models": own, "edge_detectors_ms": {}, "cloud_detectors_ms": {}}
    timed = dataclasses.replace(simulated, profile=simulated.profile.model_copy(update=times))
    assert profile_notes(timed, cards) == []
    other = cards["detect3d"].model_copy(update={"version": "99"})
    [note] = profile_notes(timed, {**cards, "detect3d": other})
    assert f"no times of {other.label}; those of {own} stand for them: measure them" in note
    assert profile_notes(replay_request("s", ["moby"], "10.0.0.7:1", None, None), cards) == []


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("edge-only", "nothing"),
        ("frustum-cluster", "nothing"),
        ("cloud-only", "every frame, the newest first"),
        ("cloud-only:raw", "every frame, the newest first, view whole, codec raw"),
        ("cloud-only:crop", "every frame, the newest first, view camera, codec raw"),
        ("hold-last", "one frame in every 9"),
        ("constant-velocity", "one frame in every 9"),
        ("constant-velocity-2d", "one frame in every 9"),
        ("moby-interval", "one frame in every 9"),
        (
            "moby-paper",
            "a test every 6 frames; after one of an F1 below 0.8 the next frame, which waits for its answer",
        ),
        (
            "moby",
            WORTH_IT + "; over a slow link, regions alone",
        ),
    ],
)
def test_each_policy_says_how_it_sends(policy, said):
    """In words, with the settings that rule it and no others."""
    offload = OffloadConfig(interval=9, test_interval=6, min_test_f1=0.8, max_share=0.07, mb_a_minute=5, mb_a_month=100)
    assert sending_of(parse_policies([policy])[0], offload) == said


@pytest.mark.parametrize("policy", ["moby", "moby-device"])
def test_regions_are_said_only_where_they_may_be_sent(policy):
    """Whoever wants whole sweeps gets no regions, whatever the setting."""
    [spec] = parse_policies([policy])
    for offload in (OffloadConfig(regions=False), OffloadConfig(camera_view_only=False)):
        assert "regions" not in sending_of(spec, offload)
    assert "regions alone" in sending_of(spec, OffloadConfig())


def test_facts_name_every_policy(street):
    """With its variant, beside what all share."""
    request = replay_request("s", ["cloud-only:raw", "moby-interval"], "simulated", None, None)
    facts = facts_of(request, Settings(), street(1), {})
    assert facts["offload"] == "the camera's view, codec polar, deadline 3000 ms"
    assert facts["sent under cloud-only:raw"].endswith("view whole, codec raw")
    assert facts["sent under moby-interval"] == "one frame in every 7"
