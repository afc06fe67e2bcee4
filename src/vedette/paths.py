"""Paths as users give them, and files that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from vedette.errors import ConfigError


def path_from_user(text: str | Path) -> Path:
    """A path, with a leading ``~`` or ``~name`` replaced by a home folder; it need not exist.

    Args:
        text: as it was given.

    Raises:
        ConfigError: no path of this system: no such home, too long, a character that no name holds, or within a folder
            that may not be read.
    """
    try:
        path = Path(text).expanduser()
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"path {str(text)[:200]!r}: {reason}; expected a path that can be looked at") from error
    return path


def may_never_end(path: Path) -> bool:
    """Whether reading could wait for ever, or go on for ever: a pipe, a device.

    Args:
        path: need not exist.
    """
    return path.exists() and not path.is_file() and not path.is_dir()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file by one rename: readers see all of it or what was there before, and a failure leaves nothing.

    Args:
        path: of the file; its folder is there.
        content: of the file.

    Raises:
        OSError: it cannot be written; its `filename` is the path.
    """
    fresh = path.with_name(f".{path.name}.pending")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
