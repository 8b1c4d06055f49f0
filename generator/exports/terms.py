"""The terms that published results carry: their licence, and the canary of the suite."""

from typing import Final

LICENCE: Final = "Apache-2.0"
"""The licence of the results, by its SPDX name."""

LICENCE_ADDRESS: Final = "https://www.apache.org/licenses/LICENSE-2.0"
"""Where its text stands."""


def terms_of(canary: str) -> dict[str, str]:
    """Return the terms as texts by name; ``canary`` is the line of the suite."""
    return {"licence": LICENCE, "licence_address": LICENCE_ADDRESS, "canary": canary}
