"""What pages of the desk say and leave out: tasks of prompts, parts, errors, assets."""

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser


def _page(client: httpx.Client, path: str) -> LexborHTMLParser:
    return LexborHTMLParser(client.get(path).raise_for_status().text)


@pytest.mark.parametrize("path", ["nowhere", "sessions/nothing-here", "sessions/%20"])
def test_what_is_not_there_is_called_so(client: httpx.Client, path: str) -> None:
    """In words, and without talk of writing: nothing was sent."""
    answer = client.get(path)
    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 404
    assert page.css_first("h1").text() == "Not found"
    assert page.css_first(".warning").text().startswith("there is no")
    assert "written" not in page.css_first("main").text()


def test_a_refused_form_says_that_nothing_was_written(client: httpx.Client) -> None:
    """And how to come back to what was typed."""
    page = LexborHTMLParser(client.post("many", data={"token": "none"}).text)
    assert "Nothing was written" in page.css_first("main").text()


def test_fonts_are_kept_by_browsers(client: httpx.Client) -> None:
    """Asked anew for each page, they would come too late for some; pages are never kept."""
    fonts = [one.attributes["href"] for one in _page(client, "").css("link[rel=preload]")]
    assert len(fonts) == 2
    for font in fonts:
        answer = client.get(str(font).removeprefix("/review/")).raise_for_status()
        assert answer.headers["cache-control"] == "max-age=86400"
    assert client.get("assets/desk.css").headers["cache-control"] == "no-cache"
    assert client.get("assets/none.css").headers["cache-control"] == "no-store"
