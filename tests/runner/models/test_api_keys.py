"""Keys are read from the usual files and variables of users, and are never written."""

import base64
import os
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import MissingKeyError
from runner.models.api_keys import HIDDEN, Redactor, load_keys, read_key
from tests.runner.models.asking import ask_provider, make_model
from tests.runner.models.provider import Step

pytestmark = pytest.mark.unit

KEY = "planted/key+0123456789=="


@pytest.mark.integration
@pytest.mark.parametrize("status", [401, 400, 500])
def test_a_provider_that_echoes_the_key_does_not_get_it_recorded(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The body of an error may repeat the request's headers, with the key."""
    monkeypatch.setenv("SCRIPTED_API_KEY", KEY)
    generated, _ = ask_provider(
        Step(kind="status", status=status, echo_key=True), api_key_env="SCRIPTED_API_KEY"
    )
    assert generated.fault is not None
    assert HIDDEN in generated.fault.evidence
    assert "0123456789" not in generated.fault.evidence


@pytest.mark.integration
def test_a_reply_that_holds_the_key_is_recorded_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may print its requests into its answers."""
    monkeypatch.setenv("SCRIPTED_API_KEY", KEY)
    generated, _ = ask_provider(Step(text=f"you sent {KEY}"), api_key_env="SCRIPTED_API_KEY")
    assert generated.reply == f"you sent {HIDDEN}"


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer {}",
        "{{'authorization': 'Bearer {}', 'accept': '*/*'}}",
        "GET https://example.test/v1?alt=sse&key={}&x=1",
        'x-api-key: "{}"',
    ],
)
def test_keys_of_others_are_known_by_their_place(text: str) -> None:
    """A key that this process does not know is hidden by its position in the text."""
    hidden = Redactor([]).hide_keys(text.format("qwertyuiop123456"))
    assert "qwertyuiop123456" not in hidden
    assert HIDDEN in hidden


def test_partly_masked_keys_are_hidden_too() -> None:
    """Providers often show the first and last characters of a wrong key."""
    hidden = Redactor([]).hide_keys("Incorrect API key provided: sk-proj-ab***********wxyz.")
    assert "wxyz" not in hidden


@given(st.text(min_size=6, max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_known_keys_are_hidden_however_written(key: str, before: str, after: str) -> None:
    """Known keys are hidden in plain form, percent-encoded, and in base64."""
    redactor = Redactor([key])
    for form in (key, quote(key, safe=""), base64.b64encode(key.encode()).decode()):
        assert form not in redactor.hide_known_keys(before + form + after).replace(HIDDEN, "\0")


def test_ordinary_evidence_is_left_alone() -> None:
    """Text without a key stays readable."""
    text = "HTTP 503: the key point is that the server is overloaded, monkey: business as usual"
    assert Redactor(["short"]).hide_keys(text) == text


def test_a_missing_key_names_its_variable_and_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is one line with the variable to set, and the file for it."""
    monkeypatch.delenv("SCRIPTED_API_KEY", raising=False)
    with pytest.raises(MissingKeyError, match=r"local/scripted.*SCRIPTED_API_KEY.*\.env"):
        read_key(make_model("http://127.0.0.1:1/v1", api_key_env="SCRIPTED_API_KEY"))


def test_keys_come_from_the_nearest_env_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The .env file is searched from the current folder upward; the environment has priority."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / ".env").write_text("SCRIPTED_ONE=from file\nSCRIPTED_TWO=from file\n")
    monkeypatch.chdir(inner)
    monkeypatch.setenv("SCRIPTED_ONE", "")
    monkeypatch.delenv("SCRIPTED_ONE")
    monkeypatch.setenv("SCRIPTED_TWO", "from environment")
    load_keys()
    assert os.environ["SCRIPTED_ONE"] == "from file"
    assert os.environ["SCRIPTED_TWO"] == "from environment"
