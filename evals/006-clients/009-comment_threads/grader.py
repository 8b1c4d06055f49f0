# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Threads of comments: replies on their way, drafts, and changes that are shown at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

CHECK = "https://tone.example.com/check"
MAIL = "https://mail.example.com/comments"
UNAVAILABLE = "The tone could not be checked"
LOCKED = "The document is locked"
DELETED = "This thread was deleted"
WAIT_S = 60
"""The seconds after which a slow service answers."""


def answer(convex: Convex, *, friendly: bool = True, after: float = 0, fail: bool = False) -> None:
    """Let the tone be checked, and mails be sent."""
    convex.stub_fetch(CHECK, json={"friendly": friendly}, after=after, fail=fail)


def make_threads(convex: Convex) -> str:
    """Make a document with three threads, return its id: Ada's two, and Ben's, which is first."""
    answer(convex)
    convex.stub_fetch(MAIL)
    document = str(convex.mutation("documents:add", {"title": "Charter"}))
    for quote, author, text in (
        ("Article one", "ada", "Is this clear?"),
        ("Article two", "ada", "Shorter, please."),
        ("Article three", "ben", "Who says so?"),
    ):
        start = {"document": document, "quote": quote, "author": author, "text": text}
        convex.mutation("threads:start", start)
        convex.clock.advance(1)
    return document


def thread_id(convex: Convex, quote: str) -> str:
    """Return the id of the thread on a quoted place."""
    return str(next(row["_id"] for row in convex.table("threads") if row["quote"] == quote))


def comment_id(convex: Convex, text: str) -> str:
    """Return the id of the comment with a text."""
    return str(next(row["_id"] for row in convex.table("comments") if row["text"] == text))


def post(convex: Convex, quote: str, author: str, text: str, key: str | None = None) -> str:
    """Post a comment as another client does; return its id."""
    args = {"thread": thread_id(convex, quote), "author": author, "text": text}
    return str(convex.action("posting:post", {**args, "key": key} if key else args))


def texts(convex: Convex) -> list[str]:
    """Return the texts of all stored comments, the oldest first."""
    return [str(row["text"]) for row in convex.table("comments")]


def count_fetches(convex: Convex, url: str) -> int:
    """Return the number of requests that a service has got."""
    return sum(fetch.url == url for fetch in convex.fetches())


def open_margin(ui: Ui, document: str, me: str = "ada") -> Page:
    """Render a document's margin, and wait until all of it is loaded."""
    page = ui.render(props={"document": document, "me": me})
    page.wait_for("Resolved")
    page.wait_gone("Loading")
    page.errors()
    return page


def write(page: Page, quote: str, text: str) -> None:
    """Write a reply in a thread and send it."""
    page.fill("Reply", text, within=quote)
    page.click("Send", within=quote)
    page.wait_for(text)


def wait_until(page: Page, convex: Convex, url: str, number: int) -> None:
    """Wait until a service has got a number of requests, while the page goes on."""
    for _ in range(1000):
        if count_fetches(convex, url) >= number:
            return
        page.text("#summary")
    pytest.fail(f"{url} was not asked {number} times")


def times(page: Page, text: str) -> int:
    """Return how often a text is on the page."""
    return page.text().count(text)


def look(page: Page) -> tuple[str, ...]:
    """Return the quotes of open and resolved threads, the sizes, the texts and the summary."""
    parts = ("#open h3", "#resolved h3", "p.size", "p.text", "#summary")
    return tuple(page.text(css) for css in parts)


def expect(page: Page, gone: str | None = None, *shown: str) -> tuple[str, ...]:
    """Wait for what a click shows at once; return the look of the page."""
    if gone is not None:
        page.wait_gone(gone)
    for text in shown:
        page.wait_for(text)
    return look(page)


def release(page: Page) -> None:
    """Let the answers come, and demand that they change nothing."""
    before = look(page)
    page.release()
    assert page.errors() == ()
    assert look(page) == before
    assert page.count("[role=alert]") == 0


def test_a_key_posts_once(convex: Convex) -> None:
    """An author's key stores one comment, also if that was deleted or its document is locked."""
    document = make_threads(convex)
    first = post(convex, "Article one", "ada", "Yes.", "k1")
    assert post(convex, "Article one", "ada", "Yes.", "k1") == first
    convex.mutation("documents:lock", {"document": document, "isLocked": True})
    answer(convex, fail=True)
    assert post(convex, "Article one", "ada", "Yes.", "k1") == first
    convex.mutation("documents:lock", {"document": document, "isLocked": False})
    convex.mutation("comments:remove", {"comment": first, "me": "ada"})
    answer(convex)
    assert post(convex, "Article one", "ada", "Yes.", "k1") == first
    assert texts(convex).count("Yes.") == 0
    assert (count_fetches(convex, CHECK), count_fetches(convex, MAIL)) == (1, 1)
    assert {row["size"] for row in convex.table("threads")} == {1}
    ben = post(convex, "Article one", "ben", "No.", "k1")
    assert ben != first
    assert post(convex, "Article one", "ada", "Well.", "k2") not in {first, ben}
    assert texts(convex)[-2:] == ["No.", "Well."]


def test_a_refused_try_leaves_the_key(convex: Convex) -> None:
    """After a refusal the key posts; and pages without keys post as often as they ask."""
    document = make_threads(convex)
    for code in ("unfriendly", "unavailable", "locked"):
        answer(convex, friendly=code != "unfriendly", fail=code == "unavailable")
        lock = {"document": document, "isLocked": code == "locked"}
        convex.mutation("documents:lock", lock)
        with pytest.raises(FunctionFailed) as refusal:
            post(convex, "Article two", "ada", "Fine.", "k1")
        assert refusal.value.data == {"code": code}
    convex.mutation("documents:lock", {"document": document, "isLocked": False})
    assert post(convex, "Article two", "ada", "Fine.", "k1") == comment_id(convex, "Fine.")
    assert count_fetches(convex, MAIL) == 1
    assert len({post(convex, "Article two", "ada", "Again.") for _ in range(2)}) == 2
    assert texts(convex)[3:] == ["Fine.", "Again.", "Again."]


def test_other_comments_are_not_read(convex: Convex) -> None:
    """However many comments there are elsewhere, a thread is read and posted to within a budget."""
    make_threads(convex)
    stored = convex.table("comments")[0]
    copied = {field: value for field, value in stored.items() if not field.startswith("_")}
    convex.insert_many("comments", [copied] * 60)
    for number in range(40):
        post(convex, "Article two", "ada", "More.", f"k{number}")
    convex.limit(documents_read=30)
    comment = post(convex, "Article three", "ada", "I do.", "last")
    assert post(convex, "Article three", "ada", "I do.", "last") == comment
    listed: Any = convex.query("comments:list", {"thread": thread_id(convex, "Article three")})
    assert [row["text"] for row in listed] == ["Who says so?", "I do."]


def test_a_reply_is_shown_once_at_all_times(convex: Convex, ui: Ui) -> None:
    """A reply stands in its thread from the click on, while it is checked and mailed, and later."""
    page = open_margin(ui, make_threads(convex))
    answer(convex, after=WAIT_S)
    convex.stub_fetch(MAIL, after=WAIT_S)
    write(page, "Article one", "I think so.")
    page.wait_for("Sending")
    assert page.value("Reply", within="Article one") == ""
    assert times(page, "I think so.") == 1
    write(page, "Article one", "No doubt.")
    wait_until(page, convex, CHECK, 2)
    lines = page.text().split("\n")
    assert lines.index("Is this clear?") < lines.index("I think so.") < lines.index("No doubt.")
    convex.clock.advance(WAIT_S + 1)
    wait_until(page, convex, MAIL, 2)
    page.wait_for("3 comments")
    assert (times(page, "I think so."), times(page, "No doubt.")) == (1, 1)
    convex.clock.advance(WAIT_S + 1)
    page.wait_gone("Sending")
    assert (times(page, "I think so."), times(page, "No doubt.")) == (1, 1)
    assert sorted(texts(convex)[3:]) == ["I think so.", "No doubt."]
    assert page.count("[role=alert]") == 0


def test_a_failed_reply_is_kept_and_tried_again(convex: Convex, ui: Ui) -> None:
    """A reply that was refused stays with its reason, and is sent again or discarded."""
    page = open_margin(ui, make_threads(convex))
    answer(convex, fail=True)
    write(page, "Article one", "I think so.")
    page.wait_for(UNAVAILABLE)
    write(page, "Article two", "Too long.")
    page.wait_gone("Sending")
    assert (times(page, "I think so."), times(page, "Too long.")) == (1, 1)
    page.click("Discard", within="Too long.")
    page.wait_gone("Too long.")
    page.click("Retry", within="I think so.")
    page.wait_gone("Sending")
    page.wait_for(UNAVAILABLE)
    answer(convex)
    page.click("Retry", within="I think so.")
    page.wait_gone(UNAVAILABLE)
    page.wait_for("2 comments")
    page.wait_gone("Sending")
    assert times(page, "I think so.") == 1
    assert page.text().count("Retry") == 0
    assert texts(convex)[3:] == ["I think so."]


def test_a_try_that_still_runs_is_not_doubled(convex: Convex, ui: Ui) -> None:
    """After a lost connection the reply is kept; two tries come to their end, and one posts."""
    page = open_margin(ui, make_threads(convex))
    answer(convex, after=WAIT_S)
    write(page, "Article one", "I think so.")
    wait_until(page, convex, CHECK, 1)
    page.cut()
    page.wait_for("Retry")
    assert times(page, "I think so.") == 1
    page.click("Retry")
    wait_until(page, convex, CHECK, 2)
    convex.clock.advance(2 * WAIT_S)
    page.wait_for("2 comments")
    page.wait_gone("Sending")
    page.wait_gone("Retry")
    assert times(page, "I think so.") == 1
    assert texts(convex)[3:] == ["I think so."]
    assert count_fetches(convex, MAIL) == 1


def test_a_reply_whose_answer_was_lost_arrives(convex: Convex, ui: Ui) -> None:
    """A reply that seemed lost and was posted is a comment only, and does not come back."""
    page = open_margin(ui, make_threads(convex))
    answer(convex, after=WAIT_S)
    convex.stub_fetch(MAIL, after=WAIT_S)
    write(page, "Article one", "I think so.")
    wait_until(page, convex, CHECK, 1)
    page.cut()
    page.wait_for("Retry")
    convex.clock.advance(WAIT_S + 1)
    page.wait_for("2 comments")
    page.wait_gone("Retry")
    assert times(page, "I think so.") == 1
    comment = comment_id(convex, "I think so.")
    convex.mutation("comments:remove", {"comment": comment, "me": "ada"})
    page.wait_gone("2 comments")
    assert times(page, "I think so.") == 0
    assert page.text().count("Retry") == 0


def test_own_changes_show_at_once(convex: Convex, ui: Ui) -> None:
    """Edits, deletions and resolving change texts, sizes, sections and summary at once."""
    document = make_threads(convex)
    post(convex, "Article two", "ada", "And simpler.")
    page = open_margin(ui, document)
    page.hold()
    page.click("Edit", within="And simpler.")
    page.fill("Comment", "And plainer.")
    page.click("Save")
    page.wait_for("And plainer.")
    page.wait_for("ada, edited")
    page.click("Delete", within="Shorter, please.")
    page_view = expect(page, "Shorter, please.", "3 open")
    assert page_view[2] == "1 comment\n1 comment\n1 comment"
    page.click("Resolve", within="Article three")
    page_view = expect(page, None, "2 open, 1 resolved")
    assert page_view[:2] == ("Article two\nArticle one", "Article three")
    release(page)
    page.hold()
    page.click("Reopen")
    page.click("Delete thread", within="Article one")
    page_view = expect(page, "Article one", "2 open, 0 resolved")
    assert page_view[:2] == ("Article two\nArticle three", "")
    page.click("Delete", within="And plainer.")
    page_view = expect(page, "Article two", "1 open, 0 resolved")
    assert page_view == ("Article three", "", "1 comment", "Who says so?", "1 open, 0 resolved")
    assert DELETED not in page.text()
    release(page)
    assert texts(convex) == ["Who says so?"]


def test_refused_changes_are_undone(convex: Convex, ui: Ui) -> None:
    """In a document that was locked meanwhile all is as before, with the reasons and the text."""
    document = make_threads(convex)
    page = open_margin(ui, document)
    before = look(page)
    page.hold()
    convex.mutation("documents:lock", {"document": document, "isLocked": True})
    page.click("Edit", within="Is this clear?")
    page.fill("Comment", "Is this plain?")
    page.click("Save")
    page.wait_for("ada, edited")
    page.click("Delete", within="Shorter, please.")
    page.wait_gone("Article two")
    page.click("Resolve", within="Article three")
    page.wait_for("1 open, 1 resolved")
    page.release()
    page.wait_for("3 open, 0 resolved")
    page.wait_for(LOCKED)
    assert page.errors() == ()
    assert look(page) == before
    assert page.value("Comment") == "Is this plain?"
    assert page.text("[role=alert]").split("\n") == [LOCKED] * 3
    assert page.count("li [role=alert]") == 2
    convex.mutation("documents:lock", {"document": document, "isLocked": False})
    page.click("Resolve", within="Article three")
    page.wait_for("2 open, 1 resolved")
    page.errors()
    assert page.text("[role=alert]").split("\n") == [LOCKED] * 2
    page.click("Save")
    page.wait_for("ada, edited")
    page.errors()
    assert page.count("[role=alert]") == 1
    page.hold()
    page.click("Delete thread", within="Article two")
    page.wait_gone("Article two")
    release(page)


def test_drafts_outlive_what_others_do(convex: Convex, ui: Ui) -> None:
    """Half-written replies and edits stay when threads are resolved, reopened or reordered."""
    document = make_threads(convex)
    page = open_margin(ui, document)
    page.fill("Reply", "Half a thought", within="Article one")
    page.fill("Reply", "Another one", within="Article three")
    page.click("Edit", within="Shorter, please.")
    page.fill("Comment", "Shorter, and")
    post(convex, "Article two", "ben", "Why?")
    post(convex, "Article one", "ben", "Quite.")
    for quote in ("Article one", "Article two"):
        resolve = {"thread": thread_id(convex, quote), "isResolved": True}
        convex.mutation("threads:resolve", resolve)
    page.wait_for("1 open, 2 resolved")
    page.errors()
    assert page.text("#resolved h3") == "Article one\nArticle two"
    assert page.value("Reply", within="Article one") == "Half a thought"
    assert page.value("Reply", within="Article three") == "Another one"
    assert page.value("Comment") == "Shorter, and"
    reopen = {"thread": thread_id(convex, "Article one"), "isResolved": False}
    convex.mutation("threads:resolve", reopen)
    page.wait_for("2 open, 1 resolved")
    assert page.value("Reply", within="Article one") == "Half a thought"
    page.click("Send", within="Article one")
    page.wait_for("3 comments")
    assert page.value("Reply", within="Article three") == "Another one"
    page.click("Save")
    page.wait_for("ada, edited")
    assert comment_id(convex, "Half a thought")


def test_unsent_replies_outlive_what_others_do(convex: Convex, ui: Ui) -> None:
    """A failed reply stays in its thread when this is resolved, and can be sent from there."""
    document = make_threads(convex)
    page = open_margin(ui, document)
    answer(convex, fail=True)
    write(page, "Article three", "I do.")
    page.wait_for(UNAVAILABLE)
    resolve = {"thread": thread_id(convex, "Article three"), "isResolved": True}
    convex.mutation("threads:resolve", resolve)
    page.wait_for("2 open, 1 resolved")
    page.errors()
    assert times(page, "I do.") == 1
    answer(convex)
    page.click("Retry", within="I do.")
    page.wait_for("2 comments")
    page.wait_gone("Sending")
    assert times(page, "I do.") == 1


def test_a_deleted_thread_keeps_its_draft(convex: Convex, ui: Ui) -> None:
    """A thread that somebody deletes under one's hands stays with the draft until it is emptied."""
    page = open_margin(ui, make_threads(convex))
    page.fill("Reply", "Well, the council", within="Article three")
    convex.mutation("threads:remove", {"thread": thread_id(convex, "Article three"), "me": "ben"})
    page.wait_for(DELETED)
    page.wait_for("2 open, 0 resolved")
    assert page.value("Reply", within="Article three") == "Well, the council"
    assert not page.is_enabled("Send", within="Article three")
    convex.mutation("threads:remove", {"thread": thread_id(convex, "Article two"), "me": "ada"})
    page.wait_gone("Article two")
    page.fill("Reply", "", within="Article three")
    page.wait_gone("Article three")
    assert DELETED not in page.text()
    page.click("Resolve", within="Article one")
    page.wait_for("0 open, 1 resolved")


def test_a_deleted_thread_keeps_unsent_replies(convex: Convex, ui: Ui) -> None:
    """Replies that meet a deleted thread stay until they are discarded, and are not sent again."""
    page = open_margin(ui, make_threads(convex))
    answer(convex, after=WAIT_S)
    write(page, "Article three", "I do.")
    write(page, "Article one", "So do I.")
    wait_until(page, convex, CHECK, 2)
    who = comment_id(convex, "Who says so?")
    convex.mutation("comments:remove", {"comment": who, "me": "ben"})
    page.wait_for(DELETED)
    assert (times(page, "I do."), times(page, "So do I.")) == (1, 1)
    assert "Who says so?" not in page.text()
    convex.clock.advance(WAIT_S + 1)
    page.wait_for("It was deleted meanwhile")
    assert not page.is_enabled("Retry")
    assert times(page, "I do.") == 1
    page.click("Discard")
    page.wait_gone("Article three")
    assert DELETED not in page.text()
    assert texts(convex)[2:] == ["So do I."]


def test_a_thread_that_one_deletes_is_gone(convex: Convex, ui: Ui) -> None:
    """One's own deletion takes drafts along, but when it is refused they are there again."""
    document = make_threads(convex)
    page = open_margin(ui, document)
    page.fill("Reply", "Half a thought", within="Article one")
    page.fill("Reply", "A whole one", within="Article two")
    convex.mutation("documents:lock", {"document": document, "isLocked": True})
    page.hold()
    page.click("Delete thread", within="Article one")
    page.wait_gone("Article one")
    assert DELETED not in page.text()
    page.release()
    page.wait_for(LOCKED)
    assert page.value("Reply", within="Article one") == "Half a thought"
    convex.mutation("documents:lock", {"document": document, "isLocked": False})
    page.click("Delete thread", within="Article one")
    page.wait_gone("Article one")
    page.errors()
    assert DELETED not in page.text()
    page.click("Delete", within="Shorter, please.")
    page.wait_gone("Article two")
    page.errors()
    assert DELETED not in page.text()
    assert page.text("#open h3") == "Article three"
