"""A claim as a car in traffic would send it: it fits one packet and its signature survives the wire."""

from __future__ import annotations

import numpy as np
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from vedette.protos.arrays import array_to_proto
from vedette.protos.v1alpha1 import collaboration_pb2 as wire

GEONETWORKING_BYTES = 1_398


def typical_claim(objects: int = 12, hulls: int = 6, corners: int = 6, sectors: int = 360) -> wire.PerceptionClaim:
    """Sized as in dense traffic; the values are random, so that nothing is small by being 0."""
    random = np.random.default_rng(0)

    def numbers(shape: tuple[int, ...], dtype: str = "int16") -> np.ndarray:
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, shape).astype(dtype)

    return wire.PerceptionClaim(
        fleet_id="city-buses",
        agent_id="bus-0042",
        sequence=2**40,
        capture_time_ns=1_800_000_000_000_000_000,
        clock_sigma_us=500,
        schema_version=1,
        pose=wire.Pose(
            world_frame="utm-32n", x_m=4.5e5, y_m=5.4e6, z_m=120.5, roll_rad=0.01, pitch_rad=0.02, yaw_rad=1.2,
            covariance=[0.01, 0.001, 0.0001, 0.01, 0.0001, 1e-6], velocity_x_mps=9.5, velocity_y_mps=-3.25,
            yaw_rate_radps=0.05,
        ),
        own_box_agent=array_to_proto(numbers((7,))),
        objects=wire.ClaimedObjects(
            boxes_agent=array_to_proto(numbers((objects, 7))),
            class_ids=array_to_proto(numbers((objects,), "uint8")),
            scores=array_to_proto(numbers((objects,), "uint8")),
            position_sigmas=array_to_proto(numbers((objects, 3))),
            velocities_agent=array_to_proto(numbers((objects, 2))),
            track_ids=array_to_proto(numbers((objects,), "uint16")),
        ),
        covered=[wire.CoveredSector(azimuth_start_rad=-0.7, azimuth_width_rad=1.4, min_range_m=3, max_range_m=60)],
        free_space=wire.FreeSpace(
            free_range=numbers((sectors,), "uint8").tobytes(), range_step_cm=20, min_range_cm=250,
            ends_at_obstacle=numbers((-(-sectors // 8),), "uint8").tobytes(), range_sigma_cm=5,
        ),
        occupied=wire.OccupiedHulls(
            corners_agent=array_to_proto(numbers((hulls * corners, 2))),
            corner_counts=array_to_proto(np.full(hulls, corners, np.uint8)),
            heights_agent=array_to_proto(numbers((hulls, 2))),
        ),
    )  # fmt: skip


def signed(claim: wire.PerceptionClaim, key: Ed25519PrivateKey) -> wire.SignedClaim:
    data = claim.SerializeToString()
    return wire.SignedClaim(claim=data, signature=key.sign(data), agent_id=claim.agent_id)


def test_a_typical_claim_fits_one_packet() -> None:
    """Twelve objects, six hulls and 360 sectors, signature and envelope included."""
    size = signed(typical_claim(), Ed25519PrivateKey.generate()).ByteSize()
    assert size <= GEONETWORKING_BYTES, size


def test_the_signature_is_over_the_bytes_as_sent() -> None:
    """It holds after the wire, and no longer when a bit of the claim differs."""
    key = Ed25519PrivateKey.generate()
    received = wire.SignedClaim.FromString(signed(typical_claim(), key).SerializeToString())
    key.public_key().verify(received.signature, received.claim)
    assert wire.PerceptionClaim.FromString(received.claim) == typical_claim()
    changed = bytearray(received.claim)
    changed[100] ^= 1
    with pytest.raises(InvalidSignature):
        key.public_key().verify(received.signature, bytes(changed))
