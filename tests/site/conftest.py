"""The site of a seeded corpus beside the published records, built once and served."""

from collections.abc import Iterator

import pytest

from tests.site.example_site import BuiltSite, build_site
from tests.site.serving import served


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """Build the published records together with the seeded corpus."""
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def address(site: BuiltSite) -> Iterator[str]:
    """Serve the site on this machine; the address ends in a slash."""
    with served(site.folder) as address:
        yield address
