"""What both sides of the wire agree on: sizes and schema versions."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import Message

from vedette.errors import InvalidMessageError, MessageTooLargeError, SchemaVersionError

SCHEMA_VERSION: Final = 1
"""The schema of the messages that this build writes, and the newest that it understands."""
OLDEST_SCHEMA_VERSION: Final = 1
"""The oldest schema that this build still understands."""

MAX_MESSAGE_BYTES: Final = 4_000_000 - 4_096
"""The largest message, either way. Just under 4 MB, which every gRPC stack and proxy carries by default, with room for
the envelopes that they add."""

MESSAGE_SIZE_OPTIONS: Final = (
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
)
"""Channel and server options that make gRPC itself hold the limit."""


def serialize(message: Message) -> bytes:
    """The bytes of a message that is about to be sent.

    Args:
        message: any message of the wire.

    Raises:
        MessageTooLargeError: it is over the limit; nothing was sent.
    """
    check_message_size(message.ByteSize(), message.DESCRIPTOR.name)
    return message.SerializeToString()


def check_message_size(size_bytes: int, name: str) -> None:
    """Refuse what is over the limit.

    Args:
        size_bytes: size of the message.
        name: of the message, for the error.

    Raises:
        MessageTooLargeError: it is.
    """
    if size_bytes > MAX_MESSAGE_BYTES:
        raise MessageTooLargeError(
            f"{name} has {size_bytes} bytes; expected at most {MAX_MESSAGE_BYTES}"
            " (a sweep shrinks with the polar codec and with the crop to the camera's view)"
        )


def check_schema_version(version: int) -> None:
    """Refuse a message of a schema that this build does not understand.

    Args:
        version: as the message's header says.

    Raises:
        InvalidMessageError: there is none.
        SchemaVersionError: it is newer, or too old.
    """
    if version == 0:
        raise InvalidMessageError(f"header without a schema version; expected {_understood()}")
    if not OLDEST_SCHEMA_VERSION <= version <= SCHEMA_VERSION:
        raise SchemaVersionError(f"schema version {version} is not understood here; expected {_understood()}")


def _understood() -> str:
    if OLDEST_SCHEMA_VERSION == SCHEMA_VERSION:
        return str(SCHEMA_VERSION)
    return f"{OLDEST_SCHEMA_VERSION} to {SCHEMA_VERSION}"
