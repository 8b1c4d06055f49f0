"""The routes of requests: direct, or through a proxy that a variable of the environment sets."""

import os
import urllib.request
from importlib.util import find_spec
from typing import NamedTuple
from urllib.parse import urlsplit

from runner.errors import BadAddressError

_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})
_VARIABLES = ("http", "https", "all")


class Proxy(NamedTuple):
    """A proxy and the variable that sets it."""

    variable: str
    """The name of the variable; empty if the operating system sets the proxy."""
    address: str
    """The address without user name and password."""


def check_proxies() -> None:
    """Check that this program can use all proxies that variables set.

    The HTTP client prepares all of them, also those that a request would not use.

    Raises:
        BadAddressError: a variable has no address of a proxy, or names a SOCKS proxy, for which
            a package is missing.
    """
    for proxy in filter(None, map(_get_proxy, _VARIABLES)):
        kind = proxy.address.partition("://")[0]
        source = proxy.variable or "the operating system"
        remedy = f"unset {proxy.variable}" if proxy.variable else "change its settings"
        if kind not in _SCHEMES:
            raise BadAddressError(
                f"{source} names a proxy that cannot be used, {proxy.address}: give an address "
                f"such as http://proxy:3128, or {remedy}"
            )
        if kind.startswith("socks") and find_spec("socksio") is None:
            raise BadAddressError(
                f"{source} names a SOCKS proxy, {proxy.address}, for which a package is missing: "
                f"install it (pip install 'httpx[socks]'), or {remedy}"
            )


def find_proxy(url: str) -> Proxy | None:
    """Return the proxy of requests to ``url``; None if they are sent directly."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return _get_proxy(parts.scheme) or _get_proxy("all")


def describe_route(url: str) -> str:
    """Return a line with the address of ``url`` and its proxy, without credentials."""
    address = _strip_credentials(url)
    proxy = find_proxy(url)
    if proxy is not None:
        source = proxy.variable or "the operating system"
        return f"route: to {address} through the proxy {proxy.address}, which {source} sets"
    unused = _get_proxy(urlsplit(url).scheme) or _get_proxy("all")
    if unused is None:
        return f"route: to {address} directly, as no proxy is set"
    excluding = _find_variable("no") or "the operating system"
    return f"route: to {address} directly, as {excluding} excludes it from {unused.variable}"


def _get_proxy(scheme: str) -> Proxy | None:
    value = urllib.request.getproxies().get(scheme, "").strip()
    if not value:
        return None
    address = _strip_credentials(value if "://" in value else f"http://{value}")
    return Proxy(_find_variable(scheme), address)


def _find_variable(scheme: str) -> str:
    """Return the variable that sets the proxy of ``scheme``; lower case has precedence.

    Empty if no variable does.
    """
    name = f"{scheme}_proxy"
    if os.environ.get(name):
        return name
    return next((other for other in os.environ if other.lower() == name and os.environ[other]), "")


def _strip_credentials(url: str) -> str:
    """Return scheme, host and port of an address; the rest may have credentials."""
    scheme, _, rest = url.partition("://")
    authority = rest.partition("/")[0].partition("?")[0].partition("#")[0]
    return f"{scheme.lower()}://{authority.rpartition('@')[2]}"
