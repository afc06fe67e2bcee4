"""What readers of a report must know to judge it: where times come from, what was missing, what went wrong."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vedette.config import OffloadConfig, Settings
from vedette.datasets.recording import Recording
from vedette.edge.offload.link import LossReason
from vedette.frames import TimeBase
from vedette.models.cards import ModelCard
from vedette.replay.policies import PolicyName, PolicySpec
from vedette.replay.record import RunRecord
from vedette.replay.request import CloudKind, ReplayRequest
from vedette.replay.truth import TrueFrame

_SCORED_TYPES: Final = frozenset({"Car", "Van", "Truck", "Pedestrian", "Cyclist"})
_FOUND_AS: Final = {"Van": ("Truck",)}
"""By a model without a class of its own for trucks; the vehicles of a report are pooled."""


def facts_of(
    request: ReplayRequest, settings: Settings, recording: Recording, cards: Mapping[str, ModelCard]
) -> dict[str, str]:
    """Name and value of what defines a report.

    Args:
        request: what was asked for.
        settings: of both halves.
        recording: the source.
        cards: of the models used, by role.
    """
    offload = settings.edge.offload
    facts = {"source": request.source, "capture times": str(recording.time_base), "cloud": request.cloud}
    facts |= {role: f"{card.label}, trained on {card.training_data}" for role, card in cards.items()}
    view = "the camera's view" if offload.camera_view_only else "whole sweeps"
    facts["offload"] = f"{view}, codec {offload.codec}, deadline {offload.deadline_ms:g} ms"
    facts |= {f"sent under {policy}": sending_of(policy, offload) for policy in request.policies}
    if request.network is not None:
        facts["network"] = request.network.spec
    if request.profile is not None:
        facts["device profile"] = f"{request.profile.name}: {request.profile.device}; {request.profile.origin}"
    return facts


def sending_of(policy: PolicySpec, offload: OffloadConfig) -> str:
    """Which frames a policy sends, and how packed where that differs from the settings.

    Args:
        policy: which.
        offload: the settings that rule it.
    """
    match policy.name:
        case PolicyName.EDGE_ONLY | PolicyName.FRUSTUM_CLUSTER:
            return "nothing"
        case PolicyName.CLOUD_ONLY:
            package = policy.package
            packed = "" if package is None else f", view {package.view}, codec {package.codec}"
            return f"every frame, the newest first{packed}"
        case PolicyName.MOBY_PAPER:
            return (
                f"a test every {offload.test_interval} frames; after one of an F1 below {offload.min_test_f1:g} the"
                " next frame, which waits for its answer"
            )
        case PolicyName.MOBY | PolicyName.MOBY_DEVICE:
            regions = "; over a slow link, regions alone" if offload.regions and offload.camera_view_only else ""
            return (
                f"what seems worth it, up to {offload.max_share:.3g} of the frames, {offload.mb_a_minute:g} MB a minute"
                f" and {offload.mb_a_month:g} MB in thirty days{regions}"
            )
        case _:
            return f"one frame in every {offload.interval}"


def training_notes(request: ReplayRequest, cards: Mapping[str, ModelCard]) -> list[str]:
    """Models that may have been trained on what they are measured on, each once.

    Args:
        request: names the source.
        cards: of the models used, by role.
    """
    if not request.source.startswith("kitti-"):
        return []
    return [
        f"{card.label} was trained on {card.training_data}; frames that are part of that, it has seen."
        for card in _once(cards)
        if "KITTI" in card.training_data
    ]


def class_notes(cards: Mapping[str, ModelCard], truth: Sequence[TrueFrame]) -> list[str]:
    """Labelled kinds of objects that a 3D detector does not tell: zeros in its rows are no failure of the policy.

    Args:
        cards: of the models used, by role.
        truth: every item of the recording.
    """
    labelled = {kind for frame in truth if frame.labels is not None for kind in frame.labels.types}
    unknown = {
        card.label: sorted(labelled & _SCORED_TYPES - _found_types(card))
        for card in _once(cards)
        if card.task == "detect3d"
    }
    notes = [
        f"{label} does not know {', '.join(kinds)}: only policies that look at the image can find them."
        for label, kinds in unknown.items()
        if kinds
    ]
    merged = [card.label for card in _once(cards) if card.task == "detect3d" and "Truck" in _merged_types(card)]
    if merged and "Truck" in labelled:
        notes.append(
            f"{', '.join(merged)} calls trucks vans: they count among vehicles, and the rows of trucks stay at 0."
        )
    return notes


def profile_notes(request: ReplayRequest, cards: Mapping[str, ModelCard]) -> list[str]:
    """Models whose times the device profile does not have: simulated times are then those of other ones.

    Args:
        request: has the profile where the cloud is simulated.
        cards: of the models used, by role.
    """
    if request.profile is None:
        return []
    profile = request.profile
    others = [card.label for card in _once(cards) if card.task != "segment" and card.label not in profile.timed]
    if not others:
        return []
    untimed = f"The device profile has no times of {', '.join(others)}; those of {profile.models} stand for them"
    return [f"{untimed}: measure them with vedette bench profile."]


def _found_types(card: ModelCard) -> set[str]:
    return {*card.classes, *_merged_types(card)}


def _merged_types(card: ModelCard) -> set[str]:
    """Kinds that the model has no class of its own for, and finds as others."""
    return {kind for name in card.classes for kind in _FOUND_AS.get(name, ())} - set(card.classes)


def _once(cards: Mapping[str, ModelCard]) -> list[ModelCard]:
    """Every model, whatever its roles."""
    return list({card.label: card for card in cards.values()}.values())


def notes_of(
    request: ReplayRequest, recording: Recording, records: Sequence[RunRecord], truth: Sequence[TrueFrame]
) -> list[str]:
    """One sentence for each thing to know.

    Args:
        request: what was asked for.
        recording: the source.
        records: of all policies.
        truth: every item of the recording.
    """
    return [*_time_notes(request, recording), *recording.problems, *_label_notes(truth), *_run_notes(request, records)]


def _time_notes(request: ReplayRequest, recording: Recording) -> Iterator[str]:
    if recording.time_base is TimeBase.ASSUMED_10_HZ:
        yield "The recording has no timestamps: frames are taken to be 100 ms apart."
    if request.kind is CloudKind.SIMULATED:
        yield (
            "Times are simulated from the network model and the device profile; boxes and bytes are those of the real"
            " models and messages."
        )
    elif request.kind is CloudKind.EMBEDDED:
        yield (
            f"Times were measured in real time on one machine of {os.cpu_count()} cores, which agent and server share:"
            " each slows the other down."
        )
    else:
        yield f"Times were measured in real time on this machine, of {os.cpu_count()} cores."
    if request.kind is not CloudKind.SIMULATED:
        yield _network_note(request)


def _network_note(request: ReplayRequest) -> str:
    if request.network is None:
        return "The network is the real one."
    return (
        "A relay before the server lets bytes through as the network model says, from the first frame of each run on."
    )


def _label_notes(truth: Sequence[TrueFrame]) -> Iterator[str]:
    unlabelled = sum(frame.labels is None for frame in truth)
    if unlabelled == len(truth):
        yield "The recording has no labels: there are no accuracy figures."
    elif unlabelled:
        yield f"{unlabelled} of {len(truth)} frames have no labels and are not scored."


def _run_notes(request: ReplayRequest, records: Sequence[RunRecord]) -> Iterator[str]:
    for record in records:
        if record.bad:
            index, why = next(iter(record.bad.items()))
            yield f"{record.policy}: {len(record.bad)} bad frames got propagated boxes; the first, {index}: {why}"
        yield from _loss_notes(request, record)


def _loss_notes(request: ReplayRequest, record: RunRecord) -> Iterator[str]:
    unavailable = [loss for loss in record.losses if loss.reason is LossReason.UNAVAILABLE]
    if unavailable and not record.answers:
        yield (
            f"{record.policy}: no server answered at {request.cloud}; all {len(record.offered)} offered frames were"
            f" lost (start one with: vedette cloud serve). {unavailable[0].detail}"
        )
    elif record.losses and not record.answers:
        reasons = Counter(str(loss.reason) for loss in record.losses)
        counts = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        yield f"{record.policy}: not one request was answered: {counts}; the last: {record.losses[-1].detail}"
    elif unavailable:
        yield (
            f"{record.policy}: the server at {request.cloud} could not be reached for a while: {len(unavailable)} of"
            f" {len(record.offered)} offered frames were lost by that."
        )
    for reason in (LossReason.REFUSED, LossReason.FAILED):
        lost = [loss for loss in record.losses if loss.reason is reason]
        if lost:
            yield f"{record.policy}: {len(lost)} requests came back {reason}; the first: {lost[0].detail}"
