"""Stopping a run by a signal."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from vedette.cli.signals import calling_on_stop


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_first_signal_asks_for_the_end(number: signal.Signals) -> None:
    """The function is called once, and the handlers of before are back afterwards."""
    calls: list[None] = []
    before = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)]
    with calling_on_stop(lambda: calls.append(None)):
        os.kill(os.getpid(), number)
    assert len(calls) == 1
    assert [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)] == before


def interrupt_twice() -> None:
    with calling_on_stop(lambda: None):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def _usual_interrupts() -> Iterator[None]:
    """A shell that starts a job in the background lets it ignore interrupts: as if it had not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_usual_interrupts")
def test_second_interrupt_is_an_interrupt() -> None:
    """Whoever presses Ctrl-C twice does not want to wait."""
    with pytest.raises(KeyboardInterrupt):
        interrupt_twice()
