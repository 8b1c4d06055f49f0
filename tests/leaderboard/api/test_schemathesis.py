"""Every operation of the document, in all right and wrong ways that schemathesis knows."""

# pyright: reportUnknownMemberType=false, reportUntypedFunctionDecorator=false
# pyright: reportUnknownParameterType=false, reportMissingTypeArgument=false
# pyright: reportUnknownVariableType=false
# schemathesis leaves parts of its types open.

import re
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case, Config, HookContext
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.types import ASGIApp, Receive, Scope, Send

from leaderboard.api.app import build_api_app
from leaderboard.api.guarded_routes import build_openapi_document
from leaderboard.api.receiver import Receiver
from leaderboard.api.run_shapes import RunStart
from records.files.data_folder import DataFolder
from review.store import SessionStore
from tests.leaderboard.api import serving
from tests.review.desking import make_talk

pytestmark = pytest.mark.more

KNOWN: serving.MadeRun = serving.make_run_with_answers()
TALK = make_talk(100)
CONFIG = Config.from_dict(
    {
        "seed": 20261121,
        "generation": {"max-examples": settings().max_examples, "deterministic": True},
        "phases": {"stateful": {"enabled": False}},
    }
)


class LateApplication:
    """An ASGI application that is made later: operations are collected before any fixture is."""

    def __init__(self) -> None:
        """Wait for the application."""
        self.made: ASGIApp | None = None
        self.key = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        assert self.made is not None
        await self.made(scope, receive, send)


running = LateApplication()
# The document reads no data.
document = schemathesis.openapi.from_dict(
    build_openapi_document(build_api_app(DataFolder(Path("/nonexistent")))), config=CONFIG
)
document.app = running


@document.hook
def map_path_parameters(
    context: HookContext, path_parameters: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Use existing records in half of the requests: other requests end with not found.

    Invalid addresses stay, because they must be refused.
    """
    if not path_parameters or context.operation is None:
        return path_parameters
    category, name = KNOWN.run.planned[0].split("/")
    existing = {"run_id": KNOWN.run.run_id, "category": category, "name": name, "sample": "1"}
    existing |= {"session_id": TALK.id, "turn": "1"}
    texts = {parameter: str(value) for parameter, value in path_parameters.items()}
    identity = texts.get("run_id", texts.get("session_id", ""))
    patterns = {
        parameter["name"]: parameter["schema"]["pattern"]
        for parameter in context.operation.definition.raw["parameters"]
        if parameter["in"] == "path"
    }
    is_valid = all(re.fullmatch(patterns[name], text) for name, text in texts.items())
    if len(identity) % 2 or not is_valid:
        return path_parameters
    return {
        parameter: existing.get(parameter, value) for parameter, value in path_parameters.items()
    }


@pytest.fixture(scope="module", autouse=True)
def _application(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Make the application, with a received run and a session, and a key of it."""
    made = serving.make_server(tmp_path_factory.mktemp("data"))
    SessionStore(made.data).write(TALK)
    key = made.keys.find_valid_key(made.development)
    assert key is not None
    Receiver(made.data).start(key, RunStart.model_validate(KNOWN.build_start()))
    running.made = build_api_app(made.data, serving.GENEROUS, ["testserver"])
    running.key = made.development


@document.parametrize()
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_the_document_is_true(case: Case) -> None:
    """Valid requests are accepted, invalid requests refused, and every answer is documented.

    An attempt may fit its schema and be refused: its fields depend on each other, such as a fault
    on its outcome. That right attempts are accepted is shown in test_receiver.py.
    """
    name = case.operation.definition.raw["operationId"]
    excluded = [positive_data_acceptance] if name == "putAttempt" else []
    case.call_and_validate(
        headers=serving.make_bearer_header(running.key), excluded_checks=excluded
    )
