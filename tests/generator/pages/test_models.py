"""The list of all models: a score under an unusual condition says so."""

import pytest

from generator.pages.models import build_models_page
from tests.generator.contexts import gather_published_site, render_tree

pytestmark = pytest.mark.unit


def test_a_score_without_guidelines_is_marked_in_the_row_of_its_model() -> None:
    """The one model that was measured only so has the mark, and no other model has one."""
    tags = {
        row.attributes["data-key"]: tag.text()
        for row in render_tree(build_models_page(gather_published_site())).css("tr[data-key]")
        for tag in row.css("th .tag")
    }
    assert tags == {"google/gemini-3.1-pro-preview": "score without guidelines"}
