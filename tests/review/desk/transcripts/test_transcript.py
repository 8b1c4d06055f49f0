"""Texts on pages of the desk, and parts left out: tasks of prompts, parts, errors, assets."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from review.desk import transcript
from review.store import SessionStore
from tests.review.corpus import CALL, make_message, make_session
from tests.review.desking import make_attempt_session

pytestmark = pytest.mark.unit


def _read_page(client: httpx.Client, path: str) -> LexborHTMLParser:
    return LexborHTMLParser(client.get(path).raise_for_status().text)


def test_of_a_prompt_its_task_is_in_sight() -> None:
    """The common beginning of every prompt is folded; other sessions are shown without a split."""
    prompt = "# Reply format\n\nFiles.\n\n# Guidelines\n\n" + "x" * 9_000 + "\n\n# Task\n\nCount."
    messages = (make_message("user", prompt), make_message("assistant", "a"))
    record = make_attempt_session(1).model_copy(update={"messages": messages})
    shown = transcript.make_shown_messages(record, 1)[0]
    assert ("Guidelines" in shown.before_task, "Count." in shown.text) == (True, True)
    assert ("Guidelines" in shown.text, shown.is_folded) == (False, False)
    other = transcript.make_shown_messages(make_session(1, *messages), 1)[0]
    assert (other.before_task, other.is_folded) == ("", True)
    assert other.text.startswith("# Reply format")


def test_a_message_of_a_program_is_folded(client: httpx.Client, store: SessionStore) -> None:
    """The message has the speaker's name, and its plain text, not markdown."""
    talk = (
        make_message("user", "q"),
        make_message("assistant", "a"),
        make_message("program", "<bash-input>ls *x*"),
    )
    store.write(make_session(402, *talk))
    (message,) = _read_page(client, "sessions/session-0402").css("article.program")
    assert [part.text().strip() for part in message.css("h3, summary")] == [
        "Program",
        "<bash-input>ls *x*",
    ]
    assert message.css_first("em") is None


def test_text_within_many_quotes_is_shown() -> None:
    """An answer cannot hide its text from reviewers; deeper text is replaced by a notice."""
    assert "SECRET" in transcript.render_text("> " * 20 + "SECRET", "user")
    assert "the rest is not shown" in transcript.render_text("> " * 200 + "SECRET", "assistant")


def test_the_answer_is_led_to_from_every_part(client: httpx.Client, store: SessionStore) -> None:
    """The answer may be in an earlier part: results of tools may follow it."""
    loud = [make_message("tool", "x", tool_call_id="none")] * 110
    talk = [
        make_message("user", "q"),
        make_message("assistant", "the answer", tool_calls=(CALL,)),
        *loud,
    ]
    store.write(make_session(400, *talk, title="Loud"))
    page = _read_page(client, "sessions/session-0400")
    assert page.css_first("#answer") is not None
    assert page.css(".handles a")[0].attributes["href"] == "#answer"
    later = _read_page(client, "sessions/session-0400?part=2")
    assert later.css_first("#answer") is None
    address = "/review/sessions/session-0400?part=1#answer"
    assert later.css(".handles a")[0].attributes["href"] == address
    assert len(later.css("nav.parts")) == 2


@pytest.mark.parametrize("path", ["nowhere", "sessions/nothing-here", "sessions/%20"])
def test_missing_parts_are_called_missing(client: httpx.Client, path: str) -> None:
    """The page has words, and does not mention writing, since no form was sent."""
    answer = client.get(path)
    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 404
    assert page.css("h1")[0].text() == "Not found"
    assert page.css(".warning")[0].text().startswith("there is no")
    assert "written" not in page.css("main")[0].text()


def test_fonts_are_kept_by_browsers(client: httpx.Client) -> None:
    """Fonts requested for each page would come too late for some; pages are never kept."""
    fonts = [link.attributes["href"] for link in _read_page(client, "").css("link[rel=preload]")]
    assert len(fonts) == 2
    for font in fonts:
        answer = client.get(str(font).removeprefix("/review/")).raise_for_status()
        assert answer.headers["cache-control"] == "max-age=86400"
    assert client.get("assets/desk.css").headers["cache-control"] == "no-cache"
    assert client.get("assets/none.css").headers["cache-control"] == "no-store"


def test_a_filter_that_leaves_nothing_to_judge_is_reported(client: httpx.Client) -> None:
    """The page links the list of the filter, and the next session without a filter."""
    page = _read_page(client, "next?tag=nobody-has-this")
    links = [link.attributes["href"] for link in page.css("main a")]
    assert links == ["/review/?tag=nobody-has-this", "/review/next"]


def test_longer_texts_are_not_compared() -> None:
    """A page would take seconds for them: one line above the limit is too much."""
    texts = [
        "\n".join(f"{side} {line}" for line in range(transcript.MOST_LINES)) for side in ("a", "b")
    ]
    lines = transcript.compare_lines(*texts)
    assert lines is not None
    assert {compared_line.kind for compared_line in lines} == {"changed"}
    assert transcript.compare_lines(texts[0], f"{texts[1]}\nmore") is None
    assert transcript.compare_lines(f"{texts[0]}\nmore", texts[1]) is None


_LENGTHS = st.lists(st.sampled_from([0, 1, 50_000, 59_000, 500_000]), max_size=40)


@given(lengths=_LENGTHS, few=st.integers(0, 250))
def test_parts_hold_every_message_once(lengths: list[int], few: int) -> None:
    """Parts are in order and not empty, within the limit of messages and 360,000 characters."""
    messages = [
        *(make_message("user", "x" * length) for length in lengths),
        *[make_message("assistant", "y")] * few,
    ]
    parts = transcript.TranscriptParts.from_session(make_session(1, *messages))
    indexes = [parts.get_range(part) for part in range(1, len(parts.starts) + 1)]
    assert [index for part in indexes for index in part] == list(range(len(messages)))
    for number, part in enumerate(indexes, 1):
        assert len(part) in range(0 if not messages else 1, transcript.MESSAGES_PER_PART + 1)
        size = sum(min(60_000, len(messages[index].text)) for index in part)
        assert size < 360_000
        assert {parts.find_part(index) for index in part} <= {number}


@given(count=st.integers(1, 3000), part=st.integers(1, 3000))
def test_a_page_links_few_parts(count: int, part: int) -> None:
    """Links lead to itself, its neighbours, the first and the last: at most 30 for any count."""
    part = min(part, count)
    parts = transcript.TranscriptParts([index * 100 for index in range(count)], count * 100)
    near = parts.find_near_parts(part)
    around = {max(1, part - 1), part, min(count, part + 1), 1, count}
    assert around <= set(near) <= set(range(1, count + 1))
    assert len(near) <= 30
    assert near == sorted(near)
