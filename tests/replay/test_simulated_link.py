"""The modelled cloud: times worked out by hand from rate, delay and stage times."""

from __future__ import annotations

import pytest

from vedette.edge.offload.link import Answer, Loss, LossReason

# 8 mbps = 1000 bytes a millisecond


def test_one_answer_takes_the_sum_of_its_parts(rig):
    """3 encode + 1000 B up (1) + 20 + 2 decode + 50 detect + 500 B down (0.5) + 20."""
    cloud = rig("constant:8mbps,delay=20ms", bytes_up=1000, bytes_down=500, times=(3, 2, 50))
    cloud.submit(0)
    [(at_ms, answer)] = cloud.outcomes(1000)
    assert isinstance(answer, Answer)
    assert at_ms == 96.5
    assert answer.arrived_ns == cloud.at(0) + 96_500_000
    assert answer.stage_ms == {
        "queue": 0,
        "encode": 3,
        "uplink": 21,
        "cloud_queue": 0,
        "decode": 2,
        "detect3d": 50,
        "downlink": 20.5,
    }
    assert (answer.bytes_up, answer.bytes_down) == (1000, 500)
    assert answer.detections.boxes_velo[0, 0] == 1.0
    assert cloud.link.pending_count == 0


def test_no_network_takes_no_time(rig):
    """Under ``none`` only the stages take time."""
    cloud = rig("none", times=(1, 1, 1))
    cloud.submit(0)
    assert [at for at, _ in cloud.outcomes(10)] == [3]


def test_newest_wins_while_one_is_under_way(rig):
    """Of three, the first is sent, the second superseded by the third, which goes when the first has its answer."""
    cloud = rig("constant:8mbps", bytes_up=10_000, bytes_down=1000, times=(0, 0, 5))
    for index in range(3):
        cloud.submit(index)
    assert cloud.link.pending_count == 3
    found = cloud.outcomes(100)
    assert [(at, outcome.frame_index) for at, outcome in found] == [(0, 1), (16, 0), (32, 2)]
    loss = found[0][1]
    assert isinstance(loss, Loss)
    assert (loss.reason, loss.bytes_up) == (LossReason.SUPERSEDED, 0)
    assert cloud.detector.seen == [1.0, 3.0]


def test_two_in_flight_share_uplink_and_server(rig):
    """The uplink carries the second message while the server works; the server takes them in order."""
    cloud = rig("constant:8mbps", bytes_up=10_000, bytes_down=1000, times=(0, 0, 30), max_in_flight=2)
    cloud.submit(0)
    cloud.submit(1)
    # up 0-10 and 10-20; detect 10-40 and 40-70; down 1 each
    assert [(at, outcome.frame_index) for at, outcome in cloud.outcomes(100)] == [(41, 0), (71, 1)]


def test_deadline_during_sending_stops_the_message(rig):
    """An outage from 5 ms on: the deadline at 50 ms ends it, 5000 bytes had been sent, and the next one can go."""
    cloud = rig("step:8mbps/0mbps,every=5ms", bytes_up=7000, bytes_down=1000)
    cloud.submit(0, deadline_ms=9)
    cloud.submit(1, deadline_ms=1000)
    found = cloud.outcomes(200)
    assert [(at, outcome.frame_index) for at, outcome in found] == [(9, 0), (23, 1)]
    assert found[0][1].reason is LossReason.DEADLINE
    assert found[0][1].bytes_up == 5000
    # the second: 5000 bytes in 10-15, 2000 in 20-22, its answer in 22-23
    assert found[1][1].bytes_up == 7000


def test_endless_outage_never_hangs(rig):
    """Without any rate every request is lost at its deadline."""
    cloud = rig("constant:0mbps,delay=20ms")
    cloud.submit(0, deadline_ms=100)
    cloud.submit(1, deadline_ms=150)
    found = cloud.outcomes(1000)
    assert [(at, o.frame_index, o.reason, o.bytes_up) for at, o in found] == [
        (100, 0, LossReason.DEADLINE, 0),
        (150, 1, LossReason.DEADLINE, 0),
    ]


def test_endless_outage_of_the_downlink(rig):
    """An answer that cannot come back is lost at the deadline."""
    cloud = rig("constant:8mbps,down=0mbps")
    cloud.submit(0, deadline_ms=100)
    [(at_ms, loss)] = cloud.outcomes(1000)
    assert (at_ms, loss.reason, loss.bytes_up) == (100, LossReason.DEADLINE, 1000)


def test_deadline_on_the_device_and_at_the_server(rig):
    """A request that waits too long is not sent; one that arrives too late is not looked at."""
    cloud = rig("constant:8mbps,delay=20ms", times=(0, 0, 500))
    cloud.submit(0, deadline_ms=15)
    cloud.submit(1, deadline_ms=10)
    found = cloud.outcomes(1000)
    assert [(at, o.frame_index, o.bytes_up) for at, o in found] == [(10, 1, 0), (15, 0, 1000)]
    assert cloud.detector.seen == []


def test_server_stays_busy_with_an_answer_nobody_waits_for(rig):
    """A detection under way at the deadline is finished first; the next request starts after it."""
    cloud = rig("none", times=(0, 0, 100))
    cloud.submit(0, deadline_ms=60)
    assert [o.reason for _, o in cloud.outcomes(60)] == [LossReason.DEADLINE]
    cloud.submit(1)
    assert [at for at, _ in cloud.outcomes(1000)] == [200]


def test_failed_detection_comes_back_as_a_loss(rig):
    """The model's error takes the way of an answer and frees the link."""
    cloud = rig("constant:8mbps,delay=20ms", times=(0, 0, 10), fails_on=[1.0])
    cloud.submit(0)
    cloud.submit(1)
    found = cloud.outcomes(1000)
    assert [(at, type(o)) for at, o in found] == [(51, Loss), (102.1, Answer)]
    assert found[0][1].reason is LossReason.FAILED
    assert "mark 1" in found[0][1].detail


def test_a_busy_run_finds_outcomes_with_their_own_times(rig):
    """Time that the agent spends does not move an answer's arrival; a submit in between meets a free uplink."""
    cloud = rig("constant:8mbps", times=(0, 0, 10))
    cloud.submit(0)
    cloud.clock.advance_ns(500_000_000)
    cloud.submit(1)
    found = cloud.outcomes(1000)
    assert [o.arrived_ns - cloud.at(0) for _, o in found] == [11_100_000, 511_100_000]
    assert [at for at, _ in found] == [500, 511.1]


def test_close_forgets(rig):
    """After close nothing comes any more."""
    cloud = rig("none", times=(1, 1, 1))
    cloud.submit(0)
    cloud.link.close()
    assert cloud.outcomes(1000) == []


def test_a_link_that_is_gone_for_30_s(rig):
    """Every other request is tried and given up after 3 s; the one being tried when the link is back has its answer."""
    cloud = rig("blackout:8mbps,gone=30s@20s,delay=20ms", bytes_up=50_000, times=(0, 0, 30))
    found = []
    for index in range(60):  # one a second, 3 s for each; an answer takes 50 + 20 + 30 + 0.1 + 20 ms
        cloud.submit(index, deadline_ms=1000 * index + 3000)
        found += cloud.outcomes(1000 * (index + 1))
    arrived_ms = {o.frame_index: (o.arrived_ns - cloud.at(0)) / 1e6 for _, o in found if isinstance(o, Answer)}
    lost = [o.reason for _, o in found if isinstance(o, Loss)]
    assert set(arrived_ms) == {*range(20), 48, *range(50, 60)}
    assert arrived_ms.pop(48) == 50_120.1
    assert arrived_ms.pop(50) == 50_240.2  # had to wait for that
    assert all(at_ms == 1000 * index + 120.1 for index, at_ms in arrived_ms.items())
    assert set(lost) == {LossReason.DEADLINE, LossReason.SUPERSEDED}


def test_an_answer_that_is_2_s_late(rig):
    """Frozen from second 1 to second 3: what would come at 1.05 comes at 3, later ones in their time."""
    cloud = rig("constant:8mbps,delay=20ms,stall=2s@1s", bytes_up=10_000)
    cloud.clock.advance_ns(985_000_000)
    cloud.submit(0, deadline_ms=4000)  # 10 ms up and 20: there at 1015, which is in the stall, so 3000; 20.1 back
    assert [(at, o.frame_index) for at, o in cloud.outcomes(3020.1)] == [(3020.1, 0)]
    cloud.submit(1)
    assert [at for at, _ in cloud.outcomes(4000)] == [3070.2]


def test_jitter_keeps_the_order_and_the_delay(rig):
    """Twice the same; each answer takes at least what it takes without jitter, and at most twice 30 ms more."""

    def run(seed):
        cloud = rig(f"constant:8mbps,delay=20ms,jitter=30ms,seed={seed}")
        for index in range(40):
            cloud.submit(index)
            yield [at - 200 * index for at, _ in cloud.outcomes(200 * (index + 1))]

    first = [at for times in run(1) for at in times]
    assert first == [at for times in run(1) for at in times]
    assert first != [at for times in run(2) for at in times]
    assert 41.1 <= min(first) < max(first) <= 101.1
    assert len(set(first)) == 40


def test_a_reset_loses_what_is_under_way_at_once(rig):
    """At 5 ms: 5000 bytes of the first were sent; the second goes then, over a new connection. At 30: at the server."""
    cloud = rig("constant:8mbps,reset=@5ms/30ms", bytes_up=10_000, bytes_down=1000, times=(0, 0, 20))
    cloud.submit(0)
    cloud.submit(1)
    found = cloud.outcomes(20)
    assert [(at, o.frame_index, o.reason, o.bytes_up) for at, o in found] == [(5, 0, LossReason.UNAVAILABLE, 5000)]
    assert "reset" in found[0][1].detail
    cloud.submit(2)
    found = cloud.outcomes(100)
    assert [(at, o.frame_index, o.bytes_up) for at, o in found] == [(30, 1, 10_000), (61, 2, 10_000)]


def test_a_black_hole_tells_nobody(rig):
    """What is sent or answered in it is lost at its deadline; what is sent after it has its answer."""
    cloud = rig("constant:8mbps,blackhole=10ms@20ms", bytes_up=1000, bytes_down=1000, times=(0, 0, 25))
    cloud.submit(0, deadline_ms=60)  # its answer is under way from 26 to 27
    assert [(at, o.reason, o.bytes_up) for at, o in cloud.outcomes(60)] == [(60, LossReason.DEADLINE, 1000)]
    cloud.submit(1)
    assert [(at, type(o)) for at, o in cloud.outcomes(200)] == [(87, Answer)]


def test_bufferbloat(rig):
    """A message given up at 9 ms has 5 kB in the buffer; the next one waits until they are through."""
    cloud = rig("constant:8mbps,buffer=5kB", bytes_up=20_000, bytes_down=1000)
    cloud.submit(0, deadline_ms=9)
    cloud.submit(1)
    found = cloud.outcomes(200)
    assert [(at, o.frame_index, o.bytes_up) for at, o in found] == [(9, 0, 14_000), (35, 1, 20_000)]


def test_an_error_status_comes_after_the_answers_before_it(rig):
    """The first answer takes 100 ms down; the status that follows it at once cannot overtake it."""
    cloud = rig("constant:8mbps,down=80kbps", bytes_up=10, bytes_down=1000, max_in_flight=2, fails_on=[2.0])
    cloud.submit(0)
    cloud.submit(1)
    assert [(at, o.frame_index) for at, o in cloud.outcomes(1000)] == [(100.01, 0), (100.01, 1)]


HOSTILE = "fading:3,mean=2mbps,outage=0.1,lasting=2s,delay=30ms,jitter=40ms,buffer=64kB,stall=1s/7s,blackhole=300ms/4s"


@pytest.mark.parametrize(
    "network", ["fading:3,mean=2mbps,outage=0.3,delay=30ms", "constant:100kbps", f"{HOSTILE},reset=/2s"]
)
def test_every_request_has_one_outcome(rig, network):
    """Whatever the network does, 60 requests have 60 outcomes in order of time, and twice the same."""

    def run():
        cloud = rig(network, bytes_up=20_000, times=(2, 1, 40), max_in_flight=2)
        found = []
        for index in range(60):
            cloud.submit(index, deadline_ms=100 * index + 700)
            found += cloud.outcomes(100 * (index + 1))
        return found + cloud.outcomes(20_000)

    first, second = run(), run()
    assert sorted(outcome.frame_index for _, outcome in first) == list(range(60))
    assert [at for at, _ in first] == sorted(at for at, _ in first)
    assert [(at, type(o), o.frame_index, o.bytes_up) for at, o in first] == [
        (at, type(o), o.frame_index, o.bytes_up) for at, o in second
    ]
