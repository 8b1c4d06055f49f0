"""Addresses of pages."""

import pytest

from generator.facts.titles import format_eval_label
from generator.facts.urls import (
    build_attempt_path,
    build_kept_attempt_href,
    build_model_path,
    build_page_frame,
)

pytestmark = pytest.mark.unit


def test_pages_stand_where_no_two_collide() -> None:
    """A colon in a slug gets its own character, and samples get folders of their own."""
    assert build_model_path("a/b:free") != build_model_path("a/b-free")
    assert build_attempt_path("r", "0-a/1-b", 1) == "runs/r/0-a/1-b/"
    assert build_attempt_path("r", "0-a/1-b", 2) == "runs/r/0-a/1-b/2/"
    assert build_kept_attempt_href("r", "0-a/1-b", 1) == "runs/r/0-a/#1-b/"
    assert build_kept_attempt_href("r", "0-a/1-b", 2) == "runs/r/0-a/#1-b/2/"
    assert build_page_frame("t", "runs/r/", "d").root == "../../"
    assert format_eval_label("002-queries/009-text_search") == "Text search"
