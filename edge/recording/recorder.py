"""The seam between a run and its record: whoever puts a run together passes its parts through a recorder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vedette import __version__
from vedette.config import Settings
from vedette.edge.agent import Agent
from vedette.edge.offload.policy import OffloadPolicy
from vedette.edge.recording.log import EntryLog
from vedette.edge.recording.wrappers import RecordedAgent, RecordedPolicy, RecordedSink
from vedette.frames import TimeBase
from vedette.protos.v1alpha1 import record_pb2
from vedette.publication import Sink
from vedette.telemetry.record.entry import SCHEMA_VERSION, EntryWriter


@dataclass(frozen=True)
class RunFacts:
    """What a record says of its run as a whole.

    Args:
        command: that ran it.
        policy: as the command names it.
        source: name of the recording or the sensors.
        time_base: of the source.
        cloud: where answers come from.
        settings: in effect.
    """

    command: str
    policy: str
    source: str
    time_base: TimeBase
    cloud: str
    settings: Settings


class Recorder(Protocol):
    """Puts a log beside the parts of a run."""

    def policy(self, policy: OffloadPolicy) -> OffloadPolicy:
        """The policy to give to the agent."""
        ...

    def agent(self, agent: Agent) -> Agent:
        """The agent to run."""
        ...

    def sink(self, sink: Sink) -> Sink:
        """The sink to give to the agent."""
        ...


class NullRecorder:
    """Leaves everything as it is, for runs without a record."""

    def policy(self, policy: OffloadPolicy) -> OffloadPolicy:
        """The same."""
        return policy

    def agent(self, agent: Agent) -> Agent:
        """The same."""
        return agent

    def sink(self, sink: Sink) -> Sink:
        """The same."""
        return sink


class WritingRecorder:
    """Records one run.

    Args:
        writer: takes the entries; closed by its owner.
        facts: of the run.
    """

    def __init__(self, writer: EntryWriter, facts: RunFacts) -> None:
        self._log = EntryLog(writer, _header(facts))

    def policy(self, policy: OffloadPolicy) -> OffloadPolicy:
        """The policy, its decisions and what it learns recorded."""
        return RecordedPolicy(policy, self._log)

    def agent(self, agent: Agent) -> Agent:
        """The agent, its frames recorded."""
        return RecordedAgent(agent, self._log)

    def sink(self, sink: Sink) -> Sink:
        """The sink, its publications recorded."""
        return RecordedSink(sink, self._log)


def _header(facts: RunFacts) -> record_pb2.RecordHeader:
    return record_pb2.RecordHeader(
        schema_version=SCHEMA_VERSION,
        program_version=__version__,
        command=facts.command,
        policy=facts.policy,
        source=facts.source,
        time_base=str(facts.time_base),
        cloud=facts.cloud,
        settings_json=facts.settings.model_dump_json(),
    )
