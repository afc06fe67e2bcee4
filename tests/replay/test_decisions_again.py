"""A recorded run's policy, asked again, says the same; and where it would not, that is found."""

from __future__ import annotations

import pytest
from mcap.opcode import Opcode

from vedette.config import EdgeConfig, Settings
from vedette.edge.recording import RunFacts
from vedette.errors import RecordFormatError, RecordVersionError
from vedette.protos.v1alpha1 import record_pb2
from vedette.replay.decisions_again import decide_again
from vedette.replay.network import parse_network
from vedette.replay.policies import PolicyName, parse_policies
from vedette.replay.profile import load_profile
from vedette.replay.record_folder import record_name, recorder_in
from vedette.replay.simulate import Simulation
from vedette.replay.stopwatch import Stopwatch
from vedette.telemetry.record.entry import RecordEntry
from vedette.telemetry.record.framing import McapBlocks
from vedette.telemetry.record.reader import RecordReader
from vedette.telemetry.record.writer import RecordWriter

NETWORKS = ("constant:8mbps,delay=10ms", "fading:5,mean=0.3mbps,outage=0.2,delay=30ms", "constant:0mbps")

USUAL = load_profile(None)
# a detection on the device takes longer than a frame, so that it is not always due
PROFILE = USUAL.model_copy(update={"edge_ms": USUAL.edge_ms.model_copy(update={"detect3d": 150.0})})


@pytest.fixture
def recorded(street, detectors, device_detector3d, tmp_path):
    """Records a simulated run of a policy and returns its file."""

    def run(policy, network=NETWORKS[0], frame_count=40, **edge):
        settings = Settings(edge=EdgeConfig(**edge))
        detector2d, detector3d = detectors
        on_device = {"car-3d": device_detector3d}
        recording = street(frame_count, bad=(7,))
        simulation = Simulation(
            recording,
            settings.edge,
            parse_network(network),
            PROFILE,
            detector2d,
            on_device,
            "car-3d",
            detector3d,
        )
        spec = parse_policies([policy])[0]
        facts = RunFacts("replay", policy, recording.name, recording.time_base, "simulated", settings)
        start_ns = next(iter(recording)).stamp_ns
        with recorder_in(tmp_path, facts) as recorder:
            simulation.run(spec, start_ns, Stopwatch(), lambda: None, recorder)
        return tmp_path / record_name(policy)

    return run


def decisions_in(path):
    """Messages of the decisions, and of the answers."""
    entries = list(RecordReader(path))
    kinds = (record_pb2.DecisionRecord, record_pb2.AnswerRecord)
    return [[entry.message for entry in entries if isinstance(entry.message, kind)] for kind in kinds]


def altered(path, alter):
    """Another record like it, one message of which `alter` has changed in place."""
    other = path.with_name("altered.mcap")
    writer = RecordWriter(other)
    for entry in RecordReader(path):
        message = type(entry.message)()
        message.CopyFrom(entry.message)
        alter(message)
        writer.write(RecordEntry(entry.topic, message, entry.at_ns, entry.sequence))
    writer.close()
    return other


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("policy", [name for name in PolicyName if name is not PolicyName.FRUSTUM_CLUSTER])
def test_every_decision_is_reproduced(recorded, policy, network) -> None:
    """Under every policy, over a good link, a bad one and none."""
    path = recorded(str(policy), network)
    comparison = decide_again(path)
    decisions, answers = decisions_in(path)
    assert len(decisions) >= 10
    assert comparison.decisions == comparison.agreeing == len(decisions) + len(answers)
    assert comparison.first_difference is None
    assert comparison.complete
    assert comparison.missing == 0


def test_the_adaptive_policy_really_decides_here(recorded) -> None:
    """The runs above hold what is hard to reproduce: several reasons, packages, expectations, answers, losses."""
    good, gone = decisions_in(recorded("moby-device"))[0], decisions_in(recorded("moby", NETWORKS[2]))[0]
    reasons = {decision.reason for decision in good + gone}
    assert reasons >= {"worth it", "not worth it", "an answer is under way", "link down"}
    assert any(decision.detect3d for decision in good)
    assert not all(decision.detect3d for decision in good)
    assert any(decision.send and decision.HasField("expected") for decision in good)


@pytest.mark.parametrize(
    ("kind", "values", "field"),
    [
        (record_pb2.DecisionRecord, {"send": True}, "send"),
        (record_pb2.DecisionRecord, {"reason": "a whim"}, "reason"),
        (record_pb2.DecisionRecord, {"hold": "until answered"}, "hold"),
        (record_pb2.AnswerRecord, {"taken_in": False}, "the answer's being taken in"),
    ],
)
def test_another_decision_is_found(recorded, kind, values, field) -> None:
    """One message among all is changed; the frame and the field are named."""
    path = recorded("moby")
    chosen = next(
        message for message in reversed(decisions_in(path)[kind is record_pb2.AnswerRecord]) if is_idle(message)
    )

    def alter(message) -> None:
        if message == chosen:
            for name, value in values.items():
                setattr(message, name, value)

    comparison = decide_again(altered(path, alter))
    assert comparison.decisions - comparison.agreeing == 1
    assert (comparison.first_difference.frame_index, comparison.first_difference.field) == (chosen.frame_index, field)


def is_idle(message) -> bool:
    """An answer, or a decision to send nothing."""
    return not getattr(message, "send", False)


def test_other_settings_give_other_decisions(recorded) -> None:
    """As if the policy's thresholds had changed since: the first difference is where the second anchor would come."""
    path = recorded("moby-interval", offload={"interval": 5})

    def alter(message) -> None:
        if isinstance(message, record_pb2.RecordHeader):
            message.settings_json = Settings(edge=EdgeConfig(offload={"interval": 4})).model_dump_json()

    comparison = decide_again(altered(path, alter))
    assert str(comparison.first_difference) == "frame 4: send was False, and is True now"
    assert comparison.agreeing < comparison.decisions


def test_what_the_policy_saw_matters(recorded) -> None:
    """A link that is slower in the record than it was: the expectation of the next frame differs."""
    path = recorded("moby")
    first = decisions_in(path)[1][0]

    def alter(message) -> None:
        if message == first:
            message.bytes_up *= 10

    difference = decide_again(altered(path, alter)).first_difference
    assert difference.frame_index > first.frame_index
    assert difference.field.startswith("expected.")


def test_a_killed_run_agrees_as_far_as_it_goes(recorded) -> None:
    """Cut in its third second, the file has the decisions of two; it is said that it breaks off."""
    path = recorded("moby")
    third = [offset for opcode, _, offset in McapBlocks(path) if opcode == Opcode.CHUNK][2]
    path.write_bytes(path.read_bytes()[: third + 100])
    comparison = decide_again(path)
    assert not comparison.complete
    assert 18 <= comparison.agreeing == comparison.decisions < 30


def test_the_same_run_gives_the_same_record(recorded) -> None:
    """Byte for byte, on the simulated clock."""
    first = recorded("moby").read_bytes()
    assert recorded("moby").read_bytes() == first


def test_a_policy_without_decisions(recorded) -> None:
    """Nothing compared is not the same as all agree."""
    with pytest.raises(RecordFormatError, match="holds no decision of frustum-cluster"):
        decide_again(recorded("frustum-cluster"))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("policy", "oracle", "policy oracle .* unknown policy"), ("settings_json", '{"edge": {"wings": 2}}', "wings")],
)
def test_a_record_of_another_program(recorded, field, value, message) -> None:
    """Its policy cannot be made again; the message says why."""

    def alter(met) -> None:
        if isinstance(met, record_pb2.RecordHeader):
            setattr(met, field, value)

    with pytest.raises(RecordVersionError, match=f"(?s){message}"):
        decide_again(altered(recorded("moby"), alter))


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        ("moby", "moby.mcap"),
        ("edge-only:point-gnn-car", "edge-only-point-gnn-car.mcap"),
        ("edge-only:../../etc/x y", "edge-only-..-..-etc-x-y.mcap"),
    ],
)
def test_names_of_files(policy, name) -> None:
    """Whatever a policy is called, its file lies in the folder."""
    assert record_name(policy) == name
