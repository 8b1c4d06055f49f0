"""The version on the front page follows the data, by a stated rule."""

from datetime import UTC, datetime

import pytest

from generator.scores import front_version

pytestmark = pytest.mark.unit

MINTED = datetime(2026, 11, 25, tzinfo=UTC)
IMPORTED = front_version.VersionStanding("imported", None, 6, 6, "2026-02-16", 66)


def make_own_version(
    ranked: int, *, version: str = "own", minted_at: datetime = MINTED, baselines: int = 3
) -> front_version.VersionStanding:
    """Return a minted version with this number of ranked models."""
    day = minted_at.date().isoformat()
    return front_version.VersionStanding(version, minted_at, ranked, ranked + baselines, day, 70)


def choose_version(*versions: front_version.VersionStanding) -> str:
    """Return the version that the front page shows."""
    choice = front_version.choose_front(versions)
    assert choice is not None
    return choice.version


def test_without_versions_nothing_is_shown() -> None:
    """Without a version there is no choice."""
    assert front_version.choose_front([]) is None


@pytest.mark.parametrize(("ranked", "version"), [(0, "imported"), (1, "own"), (9, "own")])
def test_the_own_suite_takes_over_with_a_ranked_model(ranked: int, version: str) -> None:
    """An imported board of six models leads until the suite's own version has one."""
    assert choose_version(make_own_version(ranked), IMPORTED) == version


def test_a_new_version_without_models_does_not_empty_the_front_page() -> None:
    """The newest own version with models leads; baselines of a newer one do not count."""
    newer = make_own_version(0, version="newer", minted_at=datetime(2026, 12, 1, tzinfo=UTC))
    older = make_own_version(2, version="older", minted_at=datetime(2026, 10, 1, tzinfo=UTC))
    assert choose_version(newer, make_own_version(1), older, IMPORTED) == "own"


def test_without_any_model_the_newest_version_with_rows_is_shown() -> None:
    """Rows of baselines are better than an empty table."""
    newer = make_own_version(
        0, version="newer", minted_at=datetime(2026, 12, 1, tzinfo=UTC), baselines=0
    )
    assert choose_version(newer, make_own_version(0)) == "own"


def test_of_equal_versions_the_newest_is_shown() -> None:
    """The newest version is shown even without any measured model."""
    later = IMPORTED._replace(version="later", day="2026-05-01")
    assert choose_version(IMPORTED, later) == "later"
    assert (
        choose_version(
            make_own_version(0),
            make_own_version(0, version="new", minted_at=datetime(2026, 12, 1, tzinfo=UTC)),
        )
        == "new"
    )


def test_a_pin_is_behind_where_the_data_would_show_another_version() -> None:
    """The sentence names the line, both versions, and how many models each ranks."""
    versions = [make_own_version(3), IMPORTED]
    assert front_version.describe_pin_behind("own", versions) is None
    assert front_version.describe_pin_behind("unknown", versions) is None
    assert front_version.describe_pin_behind("imported", versions) == (
        "site.toml: current_version: imported has 6 ranked models; without the line own with 3"
        " ranked models would be shown first"
    )
