# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Texts of talks that save themselves, while answers are late and others write in them, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

UNSAVED = "Not saved"
THEIRS = "Somebody else wrote: "
TOO_LONG = "The text is too long"
CLOSED = "The programme is closed now"
LONG = "Parsers that nobody has ever dared to look into"
"""A title of more than 40 characters."""
TURNS_S = 0.025
"""The seconds that the page is given before its errors are read."""
Talk = dict[str, Any]


def make_talks(convex: Convex, *titles: str) -> str:
    """Make a conference with talks, return its id."""
    conference = str(convex.mutation("conferences:add", {"name": "Spring"}))
    for title in titles:
        convex.mutation("talks:propose", {"conference": conference, "title": title})
    return conference


def open_page(ui: Ui, conference: str, talk: str | None = None) -> Page:
    """Render the page of a conference, and open a talk."""
    page = ui.render(props={"conference": conference})
    page.wait_for("Spring")
    page.wait_gone("Loading")
    if talk is not None:
        open_talk(page, talk)
    return page


def open_talk(page: Page, title: str) -> None:
    """Open a talk in the list, and wait until it is loaded."""
    page.click(title)
    page.wait_gone("Loading")


def talk_at(convex: Convex, number: int) -> Talk:
    """Return a stored talk by its place in the list, from 0."""
    return convex.table("talks")[number]


def write(convex: Convex, number: int, **texts: str) -> None:
    """Change texts of a talk as somebody else does."""
    for _ in range(9):
        talk = talk_at(convex, number)
        save = {"talk": talk["_id"], "base": talk["version"], "texts": texts}
        try:
            convex.mutation("talks:save", save)
        except FunctionFailed:
            # The page saved something at the same time.
            continue
        return
    pytest.fail(f"others could not write {texts}")


def collide(page: Page, convex: Convex, mine: str, theirs: str) -> None:
    """Type a title while the news that somebody else wrote another one is on its way."""
    page.hold()
    write(convex, 0, title=theirs)
    page.fill("Title", mine)
    page.release()
    page.wait_for(THEIRS + theirs)


def assign(convex: Convex, number: int, room: str) -> None:
    """Give a talk a room, as somebody else does."""
    convex.mutation("talks:assign", {"talk": talk_at(convex, number)["_id"], "room": room})


def close(convex: Convex, conference: str, *, is_closed: bool) -> None:
    """Close the programme, or open it again."""
    convex.mutation("conferences:close", {"conference": conference, "isClosed": is_closed})


def wait_stored(page: Page, convex: Convex, number: int, **texts: str) -> None:
    """Wait until texts of a talk are stored, while the page goes on."""
    talk: Talk = {}
    for _ in range(200):
        talk = talk_at(convex, number)
        if all(talk[field] == text for field, text in texts.items()):
            return
        pause(page, TURNS_S)
    pytest.fail(f"{texts} is not stored but {talk}")


def pause(page: Page, seconds: float) -> None:
    """Let the page go on for a while, by its own turns."""
    for _ in range(round(seconds / TURNS_S)):
        page.errors()


def marked(page: Page) -> list[bool]:
    """Return for each talk of the list whether it is marked as not saved."""
    entries = page.html().split("</ul>")[0].split("<li")[1:]
    return [UNSAVED in entry for entry in entries]


def form(page: Page) -> str:
    """Return the text of the open talk's form, without the texts in fields."""
    return page.text("#talk").replace("\n", " ")


def expect(page: Page, **fields: str) -> None:
    """Demand what stands in fields, and that everything is saved."""
    page.wait_gone(UNSAVED)
    for label, text in fields.items():
        assert page.value(label) == text
    assert THEIRS not in form(page)
    assert page.count("[role=alert]") == 0
    assert page.errors() == ()


def test_fields_save_themselves(convex: Convex, ui: Ui) -> None:
    """A field is stored after a pause, keeps what was typed, and shows what others change then."""
    page = open_page(ui, make_talks(convex, "Parsing", "Typing"), "Parsing")
    assert UNSAVED not in page.text()
    page.hold()
    page.fill("Abstract", "All of the grammars we met ")
    assert form(page).count(UNSAVED) == 1
    assert marked(page) == [True, False]
    wait_stored(page, convex, 0, abstract="All of the grammars we met")
    page.release()
    expect(page, Title="Parsing", Abstract="All of the grammars we met ", Bio="")
    assert marked(page) == [False, False]
    before = talk_at(convex, 0)["version"]
    for key in "adalbert":
        page.press(key, "Bio")
        assert page.errors() == ()
    wait_stored(page, convex, 0, bio="adalbert")
    assert talk_at(convex, 0)["version"] <= before + 3
    expect(page, Title="Parsing", Abstract="All of the grammars we met ", Bio="adalbert")
    write(convex, 0, bio="Ada has a cat.")
    page.wait_for_value("Bio", "Ada has a cat.")
    assert page.value("Abstract") == "All of the grammars we met "
    write(convex, 0, abstract="Some of them.")
    page.wait_for_value("Abstract", "Some of them.")
    page.fill("Abstract", "Some of them and more")
    assign(convex, 0, "Attic")
    page.wait_for("Attic")
    write(convex, 0, title="Parsers", bio="Ada has two cats.")
    page.wait_for_value("Bio", "Ada has two cats.")
    assert page.value("Title") == "Parsers"
    assert THEIRS not in form(page)
    wait_stored(page, convex, 0, abstract="Some of them and more")
    expect(page, Title="Parsers", Abstract="Some of them and more", Bio="Ada has two cats.")
    page.fill("Title", "Parsing")
    page.fill("Bio", "")
    wait_stored(page, convex, 0, title="Parsing", bio="", abstract="Some of them and more")
    expect(page, Title="Parsing", Abstract="Some of them and more", Bio="")
    assert page.count("#talk button") == 1


def test_texts_are_saved_without_their_form(convex: Convex, ui: Ui) -> None:
    """What was typed in a talk is stored while another one is open, past others' changes."""
    page = open_page(ui, make_talks(convex, "Parsing", "Typing", "Linking"), "Parsing")
    page.fill("Abstract", "All grammars")
    open_talk(page, "Typing")
    assert (page.value("Title"), page.value("Abstract")) == ("Typing", "")
    page.fill("Abstract", "All types")
    page.fill("Bio", "Ben")
    page.click("Close")
    wait_stored(page, convex, 0, abstract="All grammars")
    wait_stored(page, convex, 1, abstract="All types", bio="Ben")
    page.wait_gone(UNSAVED)
    open_talk(page, "Linking")
    page.hold()
    assign(convex, 2, "Attic")
    write(convex, 2, bio="Cleo")
    page.fill("Title", "Linkers")
    page.fill("Abstract", "All links")
    page.click("Parsing")
    pause(page, 0.8)
    assert marked(page) == [False, False, True]
    assert talk_at(convex, 2)["bio"] == "Cleo"
    page.release()
    wait_stored(page, convex, 2, title="Linkers", abstract="All links", bio="Cleo")
    page.wait_gone(UNSAVED)
    open_talk(page, "Linkers")
    expect(page, Title="Linkers", Abstract="All links", Bio="Cleo")
    page.fill("Title", "Links")
    page.fill("Bio", "Cleo and Dan")
    convex.mutation("talks:withdraw", {"talk": talk_at(convex, 2)["_id"]})
    page.wait_for("This talk was withdrawn")
    open_talk(page, "Typing")
    page.fill("Bio", "Ben and Eve")
    wait_stored(page, convex, 1, bio="Ben and Eve")
    expect(page, Title="Typing", Abstract="All types", Bio="Ben and Eve")


def test_late_answers_take_nothing_back(convex: Convex, ui: Ui) -> None:
    """While an answer is late people type on, also back to what was; the last text is stored."""
    page = open_page(ui, make_talks(convex, "Parsing", "Typing"), "Parsing")
    page.hold()
    page.fill("Title", "Parsers")
    wait_stored(page, convex, 0, title="Parsers")
    page.fill("Title", "Parsers at work")
    page.fill("Bio", "Ada")
    pause(page, 0.8)
    assert (page.value("Title"), form(page).count(UNSAVED)) == ("Parsers at work", 2)
    page.release()
    wait_stored(page, convex, 0, title="Parsers at work", bio="Ada")
    expect(page, Title="Parsers at work", Bio="Ada")
    page.hold()
    page.fill("Title", "Parsers at rest")
    wait_stored(page, convex, 0, title="Parsers at rest")
    page.fill("Title", "Parsers at work")
    pause(page, 0.8)
    assert form(page).count(UNSAVED) == 1
    page.release()
    wait_stored(page, convex, 0, title="Parsers at work")
    expect(page, Title="Parsers at work", Bio="Ada")
    page.hold()
    page.fill("Title", "Parsers at play")
    wait_stored(page, convex, 0, title="Parsers at play")
    page.click("Typing")
    page.cut()
    page.release()
    page.wait_gone(UNSAVED, timeout_s=8)
    open_talk(page, "Parsers at play")
    expect(page, Title="Parsers at play", Bio="Ada")
    write(convex, 0, title="Parsers")
    page.wait_for_value("Title", "Parsers")


def test_a_late_answer_may_be_outdated(convex: Convex, ui: Ui) -> None:
    """Others change a text between its saving and the answer, which is no conflict by itself."""
    page = open_page(ui, make_talks(convex, "Parsing", "Typing"), "Parsing")
    page.hold()
    page.fill("Title", "Parsers")
    wait_stored(page, convex, 0, title="Parsers")
    write(convex, 0, title="Lexers")
    page.release()
    page.wait_for_value("Title", "Lexers")
    expect(page, Title="Lexers")
    page.hold()
    page.fill("Title", "Lexers at work")
    wait_stored(page, convex, 0, title="Lexers at work")
    write(convex, 0, title="Lexers at rest")
    page.fill("Title", "Lexers at play")
    page.release()
    page.wait_for(THEIRS + "Lexers at rest")
    pause(page, 0.8)
    assert talk_at(convex, 0)["title"] == "Lexers at rest"
    assert page.value("Title") == "Lexers at play"
    page.click("Take theirs")
    page.wait_gone(THEIRS)
    expect(page, Title="Lexers at rest")
    page.fill("Title", "Lexers")
    wait_stored(page, convex, 0, title="Lexers")
    expect(page, Title="Lexers")


def test_nobody_is_overwritten_unseen(convex: Convex, ui: Ui) -> None:
    """Where two people write the stored text is shown, and one of them decides."""
    page = open_page(ui, make_talks(convex, "Parsing", "Typing"), "Parsing")
    write(convex, 0, abstract="By nobody.")
    page.wait_for_value("Abstract", "By nobody.")
    page.hold()
    write(convex, 0, abstract="By Ben.")
    page.fill("Abstract", "By Ada.")
    page.fill("Bio", "Ada")
    pause(page, 0.8)
    assert talk_at(convex, 0)["abstract"] == "By Ben."
    page.release()
    page.wait_for(THEIRS + "By Ben.")
    wait_stored(page, convex, 0, bio="Ada", abstract="By Ben.")
    page.fill("Abstract", "By Ada, who was first.")
    write(convex, 0, abstract="By Ben and Cleo.")
    page.wait_for(THEIRS + "By Ben and Cleo.")
    open_talk(page, "Typing")
    assert THEIRS not in form(page)
    assert marked(page) == [True, False]
    open_talk(page, "Parsing")
    assert page.value("Abstract") == "By Ada, who was first."
    assert form(page).count(UNSAVED) == 1
    page.hold()
    write(convex, 0, abstract="By Dan.")
    page.click("Keep mine")
    pause(page, 0.8)
    assert talk_at(convex, 0)["abstract"] == "By Dan."
    page.release()
    page.wait_for(THEIRS + "By Dan.")
    page.click("Keep mine")
    wait_stored(page, convex, 0, abstract="By Ada, who was first.", bio="Ada")
    expect(page, Abstract="By Ada, who was first.", Bio="Ada")


def test_conflicts_end_by_themselves(convex: Convex, ui: Ui) -> None:
    """Texts that agree need no decision, and mine is saved when the former one is back."""
    page = open_page(ui, make_talks(convex, "Parsing", "Typing"), "Parsing")
    collide(page, convex, "Parsers", "Lexers")
    write(convex, 0, title="Parsing")
    page.wait_gone(THEIRS)
    wait_stored(page, convex, 0, title="Parsers")
    expect(page, Title="Parsers")
    collide(page, convex, "Lexers at work", "Lexers")
    page.fill("Title", "Lexers")
    page.wait_gone(THEIRS)
    expect(page, Title="Lexers")
    pause(page, 0.8)
    write(convex, 0, title="Scanners")
    page.wait_for_value("Title", "Scanners")
    expect(page, Title="Scanners")
    collide(page, convex, "Scanning", "Parsing")
    write(convex, 0, title="Scanning")
    page.wait_gone(THEIRS)
    expect(page, Title="Scanning")
    page.fill("Title", "Scanning all")
    wait_stored(page, convex, 0, title="Scanning all")
    expect(page, Title="Scanning all")


def test_refusals_belong_to_their_text(convex: Convex, ui: Ui) -> None:
    """A refused text stays with its reason, holds nothing else up, and is tried again."""
    conference = make_talks(convex, "Parsing", "Typing")
    page = open_page(ui, conference, "Parsing")
    page.fill("Title", LONG)
    page.fill("Bio", "Ada")
    wait_stored(page, convex, 0, bio="Ada")
    page.wait_for(TOO_LONG)
    page.errors()
    assert form(page).count(UNSAVED) == 1
    open_talk(page, "Typing")
    assert TOO_LONG not in page.text()
    assert marked(page) == [True, False]
    open_talk(page, "Parsing")
    assert page.value("Title") == LONG
    assert page.text("[role=alert]") == TOO_LONG
    page.fill("Title", "Parsers")
    wait_stored(page, convex, 0, title="Parsers")
    expect(page, Title="Parsers", Bio="Ada")
    page.hold()
    close(convex, conference, is_closed=True)
    page.fill("Abstract", "All grammars")
    pause(page, 0.8)
    close(convex, conference, is_closed=False)
    page.fill("Abstract", "All good grammars")
    page.release()
    wait_stored(page, convex, 0, abstract="All good grammars")
    expect(page, Abstract="All good grammars")
    close(convex, conference, is_closed=True)
    page.fill("Abstract", "All bad grammars")
    page.wait_for(CLOSED)
    close(convex, conference, is_closed=False)
    assign(convex, 0, "Attic")
    page.wait_for("Attic")
    page.click("Retry")
    wait_stored(page, convex, 0, abstract="All bad grammars")
    expect(page, Title="Parsers", Abstract="All bad grammars", Bio="Ada")
