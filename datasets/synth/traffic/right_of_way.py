"""Who may use a junction: whoever asked first, of those that may and can; signals say who may.

What must not be used at the same time (ways that come close, places where people cross) is reserved as a whole before
anybody enters, and only with room to leave again. So no two users ever meet, and whoever has entered gets out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from vedette.datasets.synth.plan import Axis
from vedette.datasets.synth.roads.network import Network

ALL_RED_S: Final = 2.0


@dataclass(frozen=True)
class Signals:
    """Fixed phases of a junction: green for one street, then for the other.

    Args:
        green_s: of each phase.
        offset_s: by which the cycle is ahead.
    """

    green_s: float
    offset_s: float

    def is_green(self, axis: Axis, t_s: float) -> bool:
        """Whether traffic on a street may enter.

        Args:
            axis: along which the street runs.
            t_s: seconds since the world's beginning.
        """
        half = self.green_s + ALL_RED_S
        phase = (t_s + self.offset_s) % (2.0 * half)
        return phase < self.green_s if axis == "u" else half <= phase < half + self.green_s


@dataclass
class Request:
    """Somebody before a junction.

    Args:
        user: number of who asks.
        resource: the way that he wants to use.
        may_go: whether signals and room allow it now.
    """

    user: int
    resource: int
    may_go: bool = True


@dataclass
class RightOfWay:
    """All reservations.

    Args:
        network: whose ways are reserved.
        holders: of every reserved resource, its users.
        waiting: requests, the oldest first.
    """

    network: Network
    holders: dict[int, set[int]] = field(default_factory=dict)
    waiting: list[Request] = field(default_factory=list)

    def ask(self, user: int, resource: int, *, may_go: bool) -> None:
        """Ask, or say again what has changed; an old request keeps its place.

        Args:
            user: number of who asks.
            resource: the way that he wants to use.
            may_go: whether signals and room allow it now.
        """
        for request in self.waiting:
            if request.user == user:
                request.resource, request.may_go = resource, may_go
                return
        self.waiting.append(Request(user, resource, may_go))

    def grant(self) -> list[Request]:
        """Give whatever can be given; returns the requests that were granted."""
        granted: list[Request] = []
        wanted: set[int] = set()
        for request in self.waiting:
            if not request.may_go:
                continue
            conflicts = self.network.conflicts[request.resource]
            if conflicts.isdisjoint(wanted) and not any(self.holders.get(other) for other in conflicts):
                self.holders.setdefault(request.resource, set()).add(request.user)
                granted.append(request)
            else:
                wanted.add(request.resource)
        self.waiting = [request for request in self.waiting if request not in granted]
        return granted

    def has_asked(self, user: int) -> bool:
        """Whether a request of somebody is waiting.

        Args:
            user: number of who may have asked.
        """
        return any(request.user == user for request in self.waiting)

    def forget(self, user: int) -> None:
        """Drop a request: whoever asked has changed his mind.

        Args:
            user: who asked.
        """
        self.waiting = [request for request in self.waiting if request.user != user]

    def release(self, user: int, resource: int) -> None:
        """Give back what was reserved.

        Args:
            user: who has left.
            resource: the way that he used.
        """
        self.holders[resource].discard(user)
