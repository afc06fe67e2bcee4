"""The door of the server: counts who is inside, and can be closed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from vedette.errors import LinkUnavailableError


class CallGate:
    """Lets calls in until it is closed, and knows when the last has left. For one event loop."""

    def __init__(self) -> None:
        self._open = True
        self._inside = 0
        self._empty = asyncio.Event()
        self._empty.set()

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Be inside for the enclosed work.

        Raises:
            LinkUnavailableError: the gate is closed.
        """
        if not self._open:
            raise LinkUnavailableError("the server is stopping; try another or try again later")
        self._inside += 1
        self._empty.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if self._inside == 0:
                self._empty.set()

    async def close(self, grace_s: float) -> int:
        """Let nobody in any more, and wait for those inside.

        Args:
            grace_s: longest wait.

        Returns:
            How many are still inside.
        """
        self._open = False
        try:
            async with asyncio.timeout(grace_s):
                await self._empty.wait()
        except TimeoutError:
            return self._inside
        return 0
