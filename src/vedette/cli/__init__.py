"""The program `vedette`: one command line for the edge, the cloud and everything around them."""

from vedette.cli.main import main

__all__ = ["main"]
