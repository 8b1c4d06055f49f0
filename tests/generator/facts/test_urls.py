"""Addresses of pages."""

import pytest

from generator.facts.page_frame import page_frame
from generator.facts.titles import eval_label
from generator.facts.urls import attempt_path, model_path

pytestmark = pytest.mark.unit


def test_pages_stand_where_no_two_collide() -> None:
    """A colon in a slug gets its own character, and samples get folders of their own."""
    assert model_path("a/b:free") != model_path("a/b-free")
    assert attempt_path("r", "0-a/1-b", 1) == "runs/r/0-a/1-b/"
    assert attempt_path("r", "0-a/1-b", 2) == "runs/r/0-a/1-b/2/"
    assert page_frame("t", "runs/r/", "d").root == "../../"
    assert eval_label("002-queries/009-text_search") == "Text search"
