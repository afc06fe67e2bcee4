"""The gate: who is inside, and the closed door."""

from __future__ import annotations

import asyncio

import pytest

from vedette.cloud.gate import CallGate
from vedette.errors import LinkUnavailableError


def test_an_empty_gate_closes_at_once() -> None:
    """Nobody is left, and nobody comes in."""

    async def scenario() -> int:
        gate = CallGate()
        left = await gate.close(20.0)
        with pytest.raises(LinkUnavailableError, match="stopping"), gate.passing():
            pytest.fail("came in")
        return left

    assert asyncio.run(scenario()) == 0


def test_closing_waits_for_those_inside() -> None:
    """Until the last has left, an error included."""

    async def scenario() -> int:
        gate = CallGate()
        leave = asyncio.Event()

        async def visit() -> None:
            with gate.passing():
                await leave.wait()
                raise ValueError

        visits = [asyncio.create_task(visit()) for _ in range(2)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(gate.close(20.0))
        await asyncio.sleep(0)
        assert not closing.done()
        leave.set()
        await asyncio.gather(*visits, return_exceptions=True)
        return await closing

    assert asyncio.run(scenario()) == 0


def test_closing_gives_up_after_the_grace() -> None:
    """And says how many are left."""

    async def scenario() -> int:
        gate = CallGate()
        with gate.passing(), gate.passing():
            return await gate.close(0.0)

    assert asyncio.run(scenario()) == 2
