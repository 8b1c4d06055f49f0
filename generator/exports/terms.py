"""The terms that published results carry: their licence, and the canary of the suite."""

from typing import Final

from records.suites.canary import LINE

LICENCE: Final = "Apache-2.0"
"""The licence of the results, by its SPDX name."""

LICENCE_ADDRESS: Final = "https://www.apache.org/licenses/LICENSE-2.0"
"""Where its text stands."""

TERMS: Final = {"licence": LICENCE, "licence_address": LICENCE_ADDRESS, "canary": LINE}
"""The terms as texts by name."""
