"""The program of an embedded server: the command line itself, which ends when whoever started it does.

The parent holds the other end of our standard input. However the parent ends, even killed, that end closes, and we stop
as if we had been told to. Run as ``python -m vedette.replay.cloud_child cloud serve ...``.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import Final

from vedette.cli import main

_STANDARD_INPUT: Final = 0


def _stop_with_parent() -> None:
    # not through sys.stdin: its lock, held by this thread, would abort the interpreter's own exit
    while os.read(_STANDARD_INPUT, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_stop_with_parent, name="parent-watch", daemon=True).start()
    main()
