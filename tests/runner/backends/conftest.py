"""Fixtures of backends that the tests of the emulator share."""

from tests.runner.emulator.conftest import (
    app,
    client,
    contract,
    controlled,
    deployment,
    embedded,
)

__all__ = ["app", "client", "contract", "controlled", "deployment", "embedded"]
