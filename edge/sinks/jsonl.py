"""Publications as lines of JSON, for other programs to read.

One object a line, one line a publication:

| key            | meaning                                                                                           |
|----------------|---------------------------------------------------------------------------------------------------|
| ``schema``     | ``vedette.boxes/1``                                                                               |
| ``frame``      | frame number in the recording; of live sensors, number of the sweep                               |
| ``stamp_ns``   | capture time that the boxes speak about, UTC nanoseconds                                          |
| ``publish_ns`` | when they were published, on the same time line                                                   |
| ``latency_ms`` | from capture to publication                                                                       |
| ``age_ms``     | from the capture of the newest sensor data used to publication; above the latency for propagated  |
| ``own``        | whether the boxes come from the frame's own image or sweep                                        |
| ``forecast``   | whether ``stamp_ns`` is the next capture to be expected, and the boxes what it should then show   |
| ``boxes``      | list of objects, below                                                                            |

Each box: ``class`` (car, van, truck, bus, pedestrian, cyclist, motorcycle, other), ``score`` (0 to 1), ``center_m``
([x, y, z], centre of volume, velo frame: x forward, y left, z up), ``size_m`` ([length, width, height]), ``yaw_rad``
(counter-clockwise from +x, in [-pi, pi)), ``track_id`` (null where there is none), ``rung`` (the step that made the
box) and ``velocity_mps`` ([x, y] over ground, world axes, or ego axes without odometry; null where not known).
"""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import Any, Final, TextIO

import numpy as np

from vedette.classes import ObjectClass
from vedette.errors import SinkClosedError, SinkError
from vedette.publication import Publication

SCHEMA: Final = "vedette.boxes/1"
_CAPACITY: Final = 1000
"""Lines that wait for a slow reader: a minute and a half at 10 Hz."""
_JOIN_TIMEOUT_S: Final = 5.0


class JsonlSink:
    """Writes in a thread of its own, so that a reader that stalls does not stall the agent.

    Args:
        stream: written to and flushed line by line, then closed.
        name: of the stream, for errors.
        capacity: lines that may wait; beyond, the oldest is dropped and counted.
    """

    def __init__(self, stream: TextIO, name: str, capacity: int = _CAPACITY) -> None:
        self._stream = stream
        self._name = name
        self._capacity = capacity
        self._lines: deque[str] = deque()
        self._dropped = 0
        self._closing = False
        self._error: OSError | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write_all, name="jsonl-sink", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """Lines that were not written because the reader was too slow."""
        return self._dropped

    def publish(self, publication: Publication) -> None:
        """Queue a line.

        Raises:
            SinkClosedError: nobody reads any more.
            SinkError: an earlier line could not be written.
        """
        line = to_line(publication)
        with self._changed:
            self._raise_error()
            if len(self._lines) == self._capacity:
                self._lines.popleft()
                self._dropped += 1
            self._lines.append(line)
            self._changed.notify()

    def close(self) -> None:
        """Write out what waits, but not for longer than some seconds.

        Raises:
            SinkClosedError: nobody reads any more.
            SinkError: a line could not be written, or lines were dropped because the reader was too slow.
        """
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(_JOIN_TIMEOUT_S)
        with self._changed:
            lost = self._dropped + len(self._lines)
            self._raise_error()
        if lost:
            raise SinkError(f"{self._name}: {lost} lines of boxes were not written, its reader is too slow")

    def _raise_error(self) -> None:
        if isinstance(self._error, BrokenPipeError):
            raise SinkClosedError(f"{self._name} was closed by its reader")
        if self._error is not None:
            raise SinkError(f"cannot write boxes to {self._name}: {self._error.strerror}")

    def _write_all(self) -> None:
        try:
            with self._stream:
                while (line := self._next_line()) is not None:
                    self._stream.write(line)
                    self._stream.flush()
        except OSError as error:  # raised where the agent publishes
            with self._changed:
                self._error = error

    def _next_line(self) -> str | None:
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._closing)
            return self._lines.popleft() if self._lines else None


def to_line(publication: Publication) -> str:
    """A publication as a line of JSON in this module's schema, line break included.

    Args:
        publication: any; lengths are rounded to millimetres, angles and scores to four digits.
    """
    document = {
        "schema": SCHEMA,
        "frame": publication.frame_index,
        "stamp_ns": publication.stamp_ns,
        "publish_ns": publication.publish_ns,
        "latency_ms": round(publication.latency_ns / 1e6, 3),
        "age_ms": round(publication.age_ns / 1e6, 3),
        "own": publication.own,
        "forecast": publication.forecast,
        "boxes": [_box(publication, row) for row in range(len(publication.detections))],
    }
    return json.dumps(document, allow_nan=False, separators=(",", ":")) + "\n"


def _box(publication: Publication, row: int) -> dict[str, Any]:
    detections = publication.detections
    box = detections.boxes_velo[row]
    track_id = int(publication.track_ids[row])
    velocity = publication.velocities_world_mps[row]
    return {
        "class": ObjectClass(int(detections.class_ids[row])).label,
        "score": round(float(detections.scores[row]), 4),
        "center_m": [round(float(value), 3) for value in box[:3]],
        "size_m": [round(float(value), 3) for value in box[3:6]],
        "yaw_rad": round(float(box[6]), 4),
        "track_id": track_id if track_id >= 0 else None,
        "rung": publication.rungs[row],
        "velocity_mps": [round(float(value), 3) for value in velocity] if np.isfinite(velocity).all() else None,
    }
