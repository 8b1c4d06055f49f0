"""The browser of the site's tests, for the desk's."""

from tests.site.conftest import browser

__all__ = ["browser"]
