"""Where an agent's frames come from: recordings, and live sensors."""

from vedette.edge.sources.spec import open_source

__all__ = ["open_source"]
