"""Policies as users name them, and what each is driven with."""

from __future__ import annotations

import pytest

from vedette.clock import SimulatedClock
from vedette.config import OffloadConfig
from vedette.edge.offload.link import NullLink
from vedette.edge.offload.package import Package, View
from vedette.errors import ConfigError
from vedette.replay.policies import USUAL_POLICIES, PolicyName, PolicySpec, RunParts, drive, parse_policies
from vedette.telemetry.stages import MeasuredStages

NAMES = [str(name) for name in PolicyName]


def test_names_are_read_in_order():
    """All of them, as given; none given means the usual three."""
    assert [str(spec) for spec in parse_policies(NAMES[::-1])] == NAMES[::-1]
    assert [str(spec) for spec in parse_policies([])] == list(USUAL_POLICIES) == ["edge-only", "cloud-only", "moby"]


@pytest.mark.parametrize(
    ("text", "spec", "package"),
    [
        ("edge-only:pillars-large", PolicySpec(PolicyName.EDGE_ONLY, "pillars-large"), None),
        ("edge-only:point-gnn-car@1", PolicySpec(PolicyName.EDGE_ONLY, "point-gnn-car@1"), None),
        ("cloud-only:raw", PolicySpec(PolicyName.CLOUD_ONLY, "raw"), Package(View.WHOLE, "raw")),
        ("cloud-only:crop", PolicySpec(PolicyName.CLOUD_ONLY, "crop"), Package(View.CAMERA, "raw")),
        ("cloud-only:coded", PolicySpec(PolicyName.CLOUD_ONLY, "coded"), None),
        ("cloud-only", PolicySpec(PolicyName.CLOUD_ONLY), None),
        ("moby-paper", PolicySpec(PolicyName.MOBY_PAPER), None),
    ],
)
def test_variants(text, spec, package):
    """What follows the colon; a package of its own only where the settings do not say how to pack."""
    [parsed] = parse_policies([text])
    assert parsed == spec
    assert str(parsed) == text
    assert parsed.package == package


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["mobi"], "unknown policy 'mobi'; known are edge-only, cloud-only, hold-last"),
        ([""], "unknown policy ''"),
        (["Moby"], "unknown policy 'Moby'"),
        (["moby "], "unknown policy 'moby '"),
        (["moby-device:pillars-nano"], "policy 'moby-device:pillars-nano': no such variant; expected edge-only:MODEL"),
        (["edge-only:"], "policy 'edge-only:': no such variant"),
        (["cloud-only:"], "policy 'cloud-only:': no such variant"),
        (["cloud-only:gzip"], "cloud-only:raw, cloud-only:crop, cloud-only:coded"),
        ([":raw"], "unknown policy ''"),
        (["moby", "edge-only", "moby"], "policy moby is given twice"),
        (["edge-only:a", "edge-only:a"], "policy edge-only:a is given twice"),
    ],
)
def test_refuses(texts, message):
    """Anything else, with what would be right."""
    with pytest.raises(ConfigError) as caught:
        parse_policies(texts)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("edge-only", (False, False, True)),
        ("cloud-only", (True, False, False)),
        ("hold-last", (True, False, False)),
        ("constant-velocity", (True, False, False)),
        ("constant-velocity-2d", (True, True, False)),
        ("frustum-cluster", (False, True, False)),
        ("moby-paper", (True, True, False)),
        ("moby-interval", (True, True, False)),
        ("moby", (True, True, False)),
        ("moby-device", (True, True, True)),
    ],
)
def test_needs(name, needs):
    """The cloud, a 2D detector, a 3D detector on the device."""
    [spec] = parse_policies([name])
    assert (spec.needs_cloud, spec.needs_detector2d, spec.detects_on_device) == needs


def test_only_edge_only_chooses_its_detector():
    """The others take the settings'."""
    chosen = {text: parse_policies([text])[0].edge_detector3d("usual") for text in ("edge-only", "edge-only:large")}
    assert chosen == {"edge-only": "usual", "edge-only:large": "large"}
    assert PolicySpec(PolicyName.MOBY_DEVICE).edge_detector3d("usual") == "usual"


@pytest.mark.parametrize("name", [name for name in PolicyName if PolicySpec(name).needs_detector2d])
def test_a_policy_is_not_driven_without_the_detector_it_needs(street, name):
    """Found out at once, not by boxes that never come."""
    clock = SimulatedClock(0)
    parts = RunParts(street(2), clock, MeasuredStages(), NullLink(clock), OffloadConfig(), None, None)
    with pytest.raises(ValueError, match=f"policy {name} without a 2D detector"):
        drive(PolicySpec(name), parts, lambda: None)
