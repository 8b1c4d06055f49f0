"""Fixtures of the tests of the command."""

from tests.runner.conftest import Serve, serve

__all__ = ["Serve", "serve"]
