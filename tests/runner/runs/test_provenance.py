"""A model's address is known before the first request, and a record names it without secrets."""

import socket
from pathlib import Path

import pytest

from runner.errors import BadAddressError
from runner.runs import provenance
from runner.runs.provenance import (
    check_host,
    check_listening,
    compute_origin,
    find_address,
    format_address,
)
from tests.runner.models.asking import make_entry
from tests.runner.served import find_free_port

pytestmark = pytest.mark.unit

NO_ADDRESSES = [
    "127.0.0.1:9100/v1",
    "localhost",
    "ftp://host/v1",
    "http://",
    "http:///v1",
    "http://[::1/v1",
    "http://host:port/v1",
    "http://host:99999/v1",
    "http://host /v1",
    "http://host\x1b[2J/v1",
]


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_a_text_that_is_no_address_is_refused(address: str) -> None:
    """An address without a scheme, a host or a numeric port gets no request."""
    with pytest.raises(BadAddressError, match=r"api_base: not an address: .*http://"):
        find_address(make_entry("openai/x", api_base=address))


def test_an_origin_is_scheme_host_and_port_alone() -> None:
    """An origin leaves out password, path and query; another port is another origin."""
    plain = compute_origin("http://127.0.0.1:8080/v1")
    assert len(plain) == 64
    for same in ("http://me:secret@127.0.0.1:8080/v2?key=secret", "HTTP://127.0.0.1:8080"):
        assert compute_origin(same) == plain
    assert compute_origin("https://a.b") == compute_origin("https://A.B:443/v1")
    for other in ("https://127.0.0.1:8080", "http://127.0.0.1:8081", "http://localhost:8080"):
        assert compute_origin(other) != plain
    assert format_address("http://me:secret@host:1/v1?key=secret") == "http://host:1/v1"


@pytest.mark.parametrize(
    ("litellm_id", "variable"),
    [
        ("openai/gpt-6", "OPENAI_API_BASE"),
        ("openai/gpt-6", "OPENAI_BASE_URL"),
        ("anthropic/claude", "ANTHROPIC_BASE_URL"),
        ("gemini/gemini-4", "GEMINI_API_BASE"),
        ("deepseek/v4", "DEEPSEEK_API_BASE"),
        ("fireworks_ai/x", "FIREWORKS_API_BASE"),
        ("ollama_chat/x", "OLLAMA_API_BASE"),
    ],
)
def test_addresses_of_the_environment_are_known(
    litellm_id: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record names the address that litellm would use; an entry's own address comes first."""
    assert find_address(make_entry(litellm_id)) is None
    monkeypatch.setenv(variable, "http://127.0.0.1:1/v1")
    assert find_address(make_entry(litellm_id)) == "http://127.0.0.1:1/v1"
    assert find_address(make_entry(litellm_id, api_base="http://own/v1")) == "http://own/v1"
    monkeypatch.setenv(variable, "nonsense")
    with pytest.raises(BadAddressError, match=f"^{variable}: not an address"):
        find_address(make_entry(litellm_id))


def test_two_addresses_that_differ_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user need not know which of two variables litellm reads first."""
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:2/v1")
    with pytest.raises(BadAddressError, match="OPENAI_API_BASE and OPENAI_BASE_URL"):
        find_address(make_entry("openai/gpt-6"))


@pytest.mark.integration
def test_somebody_must_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that listens passes, and an error names a silent server without its password."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        check_listening(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
    with pytest.raises(BadAddressError, match=r"no server listens at http://127\.0\.0\.1:\d+/v1: "):
        check_listening(f"http://me:secret@127.0.0.1:{find_free_port()}/v1")


@pytest.mark.integration
def test_servers_behind_a_proxy_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that only the proxy knows is no mistake; hosts outside the proxy are checked."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    check_listening("http://inference.invalid/v1")
    with pytest.raises(BadAddressError):
        check_listening(f"http://127.0.0.1:{find_free_port()}/v1")


def test_an_address_that_litellm_does_not_take_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The record would name this address, while litellm would ask another host."""
    monkeypatch.setenv("MISTRAL_API_BASE", "http://127.0.0.1:9/v1")
    model_entry = make_entry("mistral/mistral-large-4")
    with pytest.raises(BadAddressError, match=r"asked at api\.mistral\.ai, and not at http://127"):
        check_host(model_entry, "api.mistral.ai")
    check_host(model_entry, "127.0.0.1")
    monkeypatch.delenv("MISTRAL_API_BASE")
    check_host(model_entry, "api.mistral.ai")


def test_a_wheel_names_its_commit_on_a_machine_without_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheel holds the commit, so git is not needed."""
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "runner" / "runs" / "provenance.py"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install the wheel" in provenance.find_commit()[1]
    (tmp_path / "runner" / "built_from.txt").parent.mkdir()
    (tmp_path / "runner" / "built_from.txt").write_text("abc123\n")
    assert provenance.find_commit() == ("abc123", "")
