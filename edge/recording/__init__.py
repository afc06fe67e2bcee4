"""The record of a run: what its agent, policy and sink see and say, as messages of a file."""

from vedette.edge.recording.recorder import NullRecorder, Recorder, RunFacts, WritingRecorder

__all__ = ["NullRecorder", "Recorder", "RunFacts", "WritingRecorder"]
