"""What a replay is asked to do, and which contradictions are refused before anything is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from vedette.errors import ConfigError
from vedette.protos.address import is_address
from vedette.replay.network import DEFAULT_NETWORK, NO_NETWORK, NetworkModel, parse_network
from vedette.replay.policies import PolicySpec, device_detectors3d, parse_policies
from vedette.replay.profile import DeviceProfile, load_profile


class CloudKind(Enum):
    """Where the cloud is."""

    REMOTE = "remote"
    EMBEDDED = "embedded"
    SIMULATED = "simulated"


@dataclass(frozen=True)
class ReplayRequest:
    """A replay, checked.

    Args:
        source: name of the recording.
        policies: in the order of the report.
        cloud: as the user named it: ``embedded``, ``simulated`` or ``HOST:PORT``.
        network: to the cloud; None for the one that is really there.
        profile: of a simulated cloud; None for a real one.
    """

    source: str
    policies: Sequence[PolicySpec]
    cloud: str
    network: NetworkModel | None
    profile: DeviceProfile | None

    @property
    def kind(self) -> CloudKind:
        """Where the cloud is."""
        return _kind(self.cloud)

    @property
    def needs_cloud(self) -> bool:
        """Whether any policy asks the cloud."""
        return any(policy.needs_cloud for policy in self.policies)

    @property
    def needs_detector2d(self) -> bool:
        """Whether any policy looks at images."""
        return any(policy.needs_detector2d for policy in self.policies)

    def edge_detectors3d(self, usual: str) -> list[str]:
        """Names of the 3D detectors that policies run on the device, each once.

        Args:
            usual: where the user does not name another.
        """
        return device_detectors3d(self.policies, usual)

    @property
    def needs_cloud_detector3d(self) -> bool:
        """Whether the cloud's 3D detector runs on this machine."""
        return self.needs_cloud and self.kind is not CloudKind.REMOTE


def replay_request(
    source: str, policies: Sequence[str], cloud: str, network: str | None, profile: Path | None
) -> ReplayRequest:
    """Check what the user asked for.

    Args:
        source: name of the recording.
        policies: names with their variants; none means the usual three.
        cloud: ``embedded``, ``simulated`` or ``HOST:PORT``.
        network: network spec; None for the default of a simulated cloud, and nothing but the real one otherwise.
        profile: device profile, or None for the default.

    Raises:
        ConfigError: an unknown policy, cloud or network, or a profile with a real server.
        MissingDataError: no such profile or trace.
        FileFormatError: not a profile or trace.
    """
    names = parse_policies(policies)
    if _kind(cloud) is CloudKind.SIMULATED:
        model = parse_network(DEFAULT_NETWORK if network is None else network)
        return ReplayRequest(source, names, cloud, model, load_profile(profile))
    if profile is not None:
        raise ConfigError(f"--profile {profile} needs --cloud simulated; with {cloud} times are measured")
    slowed = None if network in (None, NO_NETWORK) else parse_network(network)
    return ReplayRequest(source, names, cloud, slowed, None)


def _kind(cloud: str) -> CloudKind:
    if cloud == "embedded":
        return CloudKind.EMBEDDED
    if cloud == "simulated":
        return CloudKind.SIMULATED
    if is_address(cloud):
        return CloudKind.REMOTE
    raise ConfigError(f"cloud {cloud!r}: expected embedded, simulated or HOST:PORT, the port from 1 to 65535")
