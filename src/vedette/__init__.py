"""vedette: an edge perception runtime with cloud offload."""

__version__ = "0.1.0"
