"""Cards of published models that are recognised by their hash, so that importing them needs no card."""

from __future__ import annotations

from pathlib import Path

from vedette.models.cards import ModelCard, read_card


def known_cards() -> list[ModelCard]:
    """The cards in this folder, by name."""
    return [read_card(path) for path in sorted(Path(__file__).parent.glob("*.yaml"))]


def recognise(sha256: str) -> ModelCard | None:
    """The card of a published file.

    Args:
        sha256: of the ONNX file, lower-case hexadecimal.

    Returns:
        Its card, or None when the file is not one of the known.
    """
    return next((card for card in known_cards() if card.sha256 == sha256), None)
