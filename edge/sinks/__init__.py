"""Where an agent's publications go."""

from vedette.edge.sinks.choice import SINK_NAMES, open_sink
from vedette.edge.sinks.jsonl import JsonlSink

__all__ = ["SINK_NAMES", "JsonlSink", "open_sink"]
