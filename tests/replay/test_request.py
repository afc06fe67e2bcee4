"""What a replay may be asked for."""

from __future__ import annotations

import pytest

from vedette.errors import ConfigError
from vedette.replay.network import DEFAULT_NETWORK
from vedette.replay.request import CloudKind, replay_request


def asked(policies=(), cloud="simulated", network=None, profile=None):
    return replay_request("kitti-tracking:x:0000", policies, cloud, network, profile)


def test_defaults():
    """The usual three policies in order; a simulated cloud has a network and a profile."""
    request = asked()
    assert [str(policy) for policy in request.policies] == ["edge-only", "cloud-only", "moby"]
    assert request.network is not None
    assert request.network.spec == DEFAULT_NETWORK
    assert request.profile is not None
    assert request.kind is CloudKind.SIMULATED


@pytest.mark.parametrize(
    ("policies", "cloud", "needs"),
    [
        (["edge-only"], "embedded", (False, False, ["usual"], False)),
        (["cloud-only"], "embedded", (True, False, [], True)),
        (["moby"], "embedded", (True, True, [], True)),
        (["moby"], "cloud.example:50551", (True, True, [], False)),
        (["moby"], "simulated", (True, True, [], True)),
        (["edge-only"], "simulated", (False, False, ["usual"], False)),
        (["cloud-only", "edge-only"], "[::1]:50551", (True, False, ["usual"], False)),
        (["frustum-cluster"], "embedded", (False, True, [], False)),
        (["hold-last", "constant-velocity"], "embedded", (True, False, [], True)),
        (["constant-velocity-2d"], "embedded", (True, True, [], True)),
        (["moby-paper", "moby-interval"], "embedded", (True, True, [], True)),
        (["moby-device"], "embedded", (True, True, ["usual"], True)),
        (["edge-only:large"], "embedded", (False, False, ["large"], False)),
        (["edge-only:large", "moby-device", "edge-only"], "simulated", (True, True, ["large", "usual"], True)),
        (["edge-only:usual", "edge-only"], "simulated", (False, False, ["usual"], False)),
    ],
)
def test_needs(policies, cloud, needs):
    """Only what the policies use is loaded or started: cloud, 2D detector, 3D detectors of both halves, each once."""
    request = asked(policies, cloud)
    three = (request.needs_cloud, request.needs_detector2d, request.edge_detectors3d("usual"))
    assert (*three, request.needs_cloud_detector3d) == needs
    assert [str(policy) for policy in request.policies] == policies


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policies": ["mobi"]}, "unknown policy 'mobi'; known are edge-only, cloud-only, hold-last, "),
        ({"policies": ["moby", "moby"]}, "policy moby is given twice"),
        ({"cloud": "cloud"}, "expected embedded, simulated or HOST:PORT"),
        ({"cloud": "http://cloud:80"}, "expected embedded, simulated or HOST:PORT"),
        ({"cloud": "127.0.0.1:99999"}, "the port from 1 to 65535"),
        ({"cloud": "embedded", "network": "warp:1mbps"}, "unknown kind 'warp'"),
        ({"cloud": "127.0.0.1:1", "profile": "p.yaml"}, "needs --cloud simulated"),
        ({"network": "warp"}, "unknown kind 'warp'"),
        ({"network": ""}, "unknown kind ''"),
    ],
)
def test_refuses(options, message):
    """Contradictions are refused before anything is loaded."""
    with pytest.raises(ConfigError) as caught:
        asked(**options)
    assert message in str(caught.value)
