"""Users' tokens, verified by the keys in auth.config.ts."""

import base64
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.backends.backend import Backend, Deployment
from runner.toolchain import Toolchain
from tests.runner.emulator.conftest import deploy_files, post_json

pytestmark = pytest.mark.integration

SIGN = Path(__file__).parent / "clients" / "sign.mjs"
WHOAMI = """
import { query } from "./_generated/server";
export const whoami = query({ args: {}, handler: (ctx) => ctx.auth.getUserIdentity() });
"""


@pytest.fixture(scope="module")
def signed(toolchain: Toolchain) -> dict[str, Any]:
    """A key, and tokens with its signature and without."""
    made = subprocess.run(
        [str(toolchain.node), str(SIGN)], capture_output=True, text=True, check=True
    )
    return json.loads(made.stdout)


@pytest.fixture(scope="module")
def deployment(embedded: Backend, signed: dict[str, Any]) -> Iterator[Deployment]:
    """A project that trusts the key."""
    keys = base64.b64encode(json.dumps(signed["jwks"]).encode()).decode()
    provider = {
        "type": "customJwt",
        "applicationID": "app",
        "issuer": "https://issuer.test",
        "algorithm": "RS256",
        "jwks": f"data:text/plain;charset=utf-8;base64,{keys}",
    }
    config = f"export default {{ providers: [{json.dumps(provider)}] }};"
    files = {"convex/auth.config.ts": config, "convex/users.ts": WHOAMI}
    with deploy_files(embedded, files) as deployment:
        yield deployment


def ask(deployment: Deployment, token: str) -> tuple[int, dict[str, Any]]:
    """Call the query with a token, as a client does."""
    headers = {"authorization": f"Bearer {token}"}
    answer = post_json(deployment, "query", {"path": "users:whoami", "args": {}}, headers=headers)
    return answer.status, answer.json()


def test_a_token_of_a_configured_provider_is_its_user(
    deployment: Deployment, signed: dict[str, Any]
) -> None:
    """Claims of a custom JWT keep their names; the names of nested claims are joined by dots."""
    status, answer = ask(deployment, signed["good"])
    assert status == 200
    identity = answer["value"]
    expected = {
        "subject": "grace",
        "tokenIdentifier": "https://issuer.test|grace",
        "issuer": "https://issuer.test",
        "name": "Grace",
        "given_name": "G",
        "org.id": "o1",
    }
    assert identity == expected


@pytest.mark.parametrize(
    "token",
    [
        *("forged", "expired", "lasting", "early", "stranger", "elsewhere"),
        *("unnamed", "misnamed", "unsigned", "other"),
    ],
)
def test_any_other_token_is_refused(
    deployment: Deployment, signed: dict[str, Any], token: str
) -> None:
    """Signature, time, issuer, application, and the header's key and algorithm have to fit."""
    status, answer = ask(deployment, signed[token])
    assert status == 401
    assert answer["code"] in {"InvalidAuthHeader", "NoAuthProvider"}
