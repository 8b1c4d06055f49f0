"""The Content-Security-Policy of the previewed site."""

from typing import Final

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
"""The Content-Security-Policy that netlify.toml gives the published site."""
