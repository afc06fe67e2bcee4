"""Network rate traces: how many bits a link carries at each instant, read from files or generated from a seed."""

from vedette.datasets.traces.files import read_rate_trace
from vedette.datasets.traces.generators import blackout_trace, constant_trace, fading_trace, step_trace
from vedette.datasets.traces.rate_trace import RateTrace
from vedette.datasets.traces.spans import NEVER, Spans

__all__ = [
    "NEVER",
    "RateTrace",
    "Spans",
    "blackout_trace",
    "constant_trace",
    "fading_trace",
    "read_rate_trace",
    "step_trace",
]
