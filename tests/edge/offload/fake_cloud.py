"""A server that does what the test says, and a proxy that can stop to forward.

As a program: ``python fake_cloud.py PORT`` serves empty answers until it is killed.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass, field

import grpc

from vedette.detections import Detections3D
from vedette.protos.convert import detect_response_from
from vedette.protos.limits import MESSAGE_SIZE_OPTIONS
from vedette.protos.v1alpha1 import detection_pb2, detection_pb2_grpc, info_pb2, info_pb2_grpc

Handler = Callable[[detection_pb2.DetectSweepRequest, grpc.ServicerContext], detection_pb2.DetectSweepResponse]


def empty_answer(
    request: detection_pb2.DetectSweepRequest, context: grpc.ServicerContext
) -> detection_pb2.DetectSweepResponse:
    """Nothing seen, in no time."""
    return detect_response_from(
        Detections3D.empty(),
        trace_id=request.header.trace_id,
        capture_time_ns=request.header.capture_time_ns,
        model="fake",
        stage_ms={"queue": 0.0, "detect3d": 0.0},
        total_ms=0.0,
    )


class _Detection(detection_pb2_grpc.DetectionServiceServicer):
    def __init__(self, cloud: FakeCloud) -> None:
        self._cloud = cloud

    def DetectSweep(self, request, context):
        self._cloud.requests.append(request)
        self._cloud.budgets_s.append(context.time_remaining())
        self._cloud.entered.release()
        return self._cloud.handler(request, context)


class _Info(info_pb2_grpc.InfoServiceServicer):
    def __init__(self, cloud: FakeCloud) -> None:
        self._cloud = cloud

    def GetServerInfo(self, request, context):
        self._cloud.pings += 1
        if self._cloud.refuses_pings:
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "not for you")
        return info_pb2.GetServerInfoResponse(version="fake")


@dataclass
class FakeCloud:
    """Runs in this process."""

    handler: Handler = empty_answer
    refuses_pings: bool = False
    pings: int = 0
    requests: list[detection_pb2.DetectSweepRequest] = field(default_factory=list)
    budgets_s: list[float] = field(default_factory=list)
    entered: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    port: int = 0

    def start(self, port: int = 0) -> FakeCloud:
        self._server = grpc.server(
            futures.ThreadPoolExecutor(max_workers=8), options=(*MESSAGE_SIZE_OPTIONS, ("grpc.so_reuseport", 0))
        )
        detection_pb2_grpc.add_DetectionServiceServicer_to_server(_Detection(self), self._server)
        info_pb2_grpc.add_InfoServiceServicer_to_server(_Info(self), self._server)
        self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")
        self._server.start()
        return self

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._server.stop(grace=None).wait()


class Proxy:
    """Forwards TCP to a port, until told that what is connected now shall hear nothing any more.

    Args:
        to_port: of the server.
        delay_s: what data takes, in each direction.
    """

    def __init__(self, to_port: int, delay_s: float = 0.0) -> None:
        self._to_port = to_port
        self._delay_s = delay_s
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._black = threading.Event()
        threading.Thread(target=self._accept_all, daemon=True).start()

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def connections(self) -> int:
        return len(self._pairs)

    def swallow_present_connections(self) -> None:
        """Their bytes vanish from now on, without an error; new connections are served."""
        self._black.set()
        self._black = threading.Event()

    def close(self) -> None:
        self._listener.close()
        for pair in self._pairs:
            for end in pair:
                end.close()

    def _accept_all(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._to_port))
            self._pairs.append((near, far))
            for source, sink in ((near, far), (far, near)):
                arguments = (source, sink, self._black, self._delay_s)
                threading.Thread(target=_pump, args=arguments, daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket, black: threading.Event, delay_s: float) -> None:
    try:
        while data := source.recv(65536):
            time.sleep(delay_s)
            if not black.is_set():
                sink.sendall(data)
        if not black.is_set():
            sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


if __name__ == "__main__":
    cloud = FakeCloud().start(int(sys.argv[1]))
    sys.stdout.write(f"{cloud.port}\n")
    sys.stdout.flush()
    threading.Event().wait()
