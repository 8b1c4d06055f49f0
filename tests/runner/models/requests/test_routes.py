"""Routes of requests: messages name the address, the proxy and the variable that sets it."""

from collections.abc import Mapping

import pytest

from records.shapes.attempt import FaultClass
from runner.errors import BadAddressError
from runner.models.requests import routes
from tests.runner.models.asking import ask_provider, assert_fault
from tests.runner.models.provider import Step

pytestmark = pytest.mark.unit

URL = "https://api.example.org/v1/chat?key=abc"


def _set_variables(monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str]) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({}, "route: to https://api.example.org directly, as no proxy is set"),
        (
            {"HTTPS_PROXY": "http://anna:s3cret@proxy:3128/path"},
            "through the proxy http://proxy:3128, which HTTPS_PROXY sets",
        ),
        ({"https_proxy": "proxy:3128"}, "the proxy http://proxy:3128, which https_proxy sets"),
        (
            {"HTTP_PROXY": "http://other:1", "ALL_PROXY": "http://proxy:3128"},
            "which ALL_PROXY sets",
        ),
        (
            {"all_proxy": "http://proxy:1", "NO_PROXY": ".example.org"},
            "directly, as NO_PROXY excludes it from all_proxy",
        ),
        ({"HTTP_PROXY": "http://other:1"}, "directly, as no proxy is set"),
    ],
)
def test_a_route_names_address_proxy_and_variable(
    variables: Mapping[str, str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line has neither the query of the address nor the password of the proxy."""
    _set_variables(monkeypatch, variables)
    route = routes.describe_route(URL)
    assert line in route
    assert "api.example.org" in route
    assert "abc" not in route
    assert "s3cret" not in route
    assert (routes.find_proxy(URL) is None) == ("directly" in route)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize("scheme", ["socks5", "SOCKS5H"])
def test_a_socks_proxy_without_its_package_is_refused(
    name: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the variable, the proxy and both remedies; with the package it is taken."""
    _set_variables(monkeypatch, {name: f"{scheme}://u:pw@127.0.0.1:9", "NO_PROXY": "*"})
    monkeypatch.setattr(routes, "find_spec", {"socksio": None}.get)
    with pytest.raises(BadAddressError) as raised:
        routes.check_proxies()
    message = str(raised.value)
    assert message.startswith(f"{name} names a SOCKS proxy, {scheme.lower()}://127.0.0.1:9,")
    assert "httpx[socks]" in message
    assert f"unset {name}" in message
    assert "pw" not in message
    monkeypatch.setattr(routes, "find_spec", {"socksio": "its module"}.get)
    routes.check_proxies()


@pytest.mark.parametrize("address", ["socks4://127.0.0.1:9", "ftp://proxy:1"])
def test_a_proxy_of_another_kind_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client would end in a traceback."""
    _set_variables(monkeypatch, {"ALL_PROXY": address})
    with pytest.raises(BadAddressError, match="ALL_PROXY names a proxy that cannot be used"):
        routes.check_proxies()


@pytest.mark.integration
def test_a_failed_connection_names_its_route(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens at the proxy, which the message names beside the address that was asked."""
    _set_variables(monkeypatch, {"HTTP_PROXY": "http://anna:s3cret@127.0.0.1:9"})
    generated, provider = ask_provider(Step())
    fault = assert_fault(
        generated,
        FaultClass.CONNECTION_LOST,
        "route: to http://127.0.0.1:",
        " through the proxy http://127.0.0.1:9, which HTTP_PROXY sets",
    )
    assert "s3cret" not in fault.evidence
    assert provider.requests == []
