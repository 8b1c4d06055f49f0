"""A grader works a page as a reader does, against the attempt's backend."""

import pytest

from runner.ui import Ui, UiBroken, UiFailed

APP = "src/App.tsx"


def test_the_loading_state_stands_still_while_messages_are_held(ui: Ui) -> None:
    """A page rendered with messages held shows what it shows before it knows anything."""
    page = ui.render(held=True)
    page.wait_for("Loading notes")
    page.release()
    page.wait_for("Add")
    assert "Loading notes" not in page.text()


def test_what_is_typed_and_clicked_reaches_the_backend_and_comes_back(ui: Ui) -> None:
    """A form is filled and sent; the list follows, and the field is emptied."""
    page = ui.render(props={"box": "typed"})
    page.fill("Body", "curly {a} [b]")
    assert page.value("Body") == "curly {a} [b]"
    page.click("Add")
    page.wait_for_value("Body", "")
    page.wait_gone("(sending)")
    assert page.text("li") == "curly {a} [b] Remove"
    page.fill("Body", "second")
    page.press("Enter", "Body")
    page.wait_for("second Remove")
    assert page.count("li") == 2
    page.click("Remove", within="second")
    page.wait_gone("second")
    assert page.text("li") == "curly {a} [b] Remove"
    assert page.errors() == ()


def test_an_optimistic_update_is_seen_until_the_answer_comes(ui: Ui) -> None:
    """While messages are held only the page's own guess shows; then what is stored."""
    page = ui.render(props={"box": "guessed"})
    page.fill("Body", "soon")
    page.hold()
    page.click("Add")
    page.wait_for("soon (sending)")
    page.release()
    page.wait_gone("(sending)")
    page.wait_for("soon")


def test_a_refusal_takes_the_guess_back(ui: Ui) -> None:
    """A mutation that fails leaves its data and no guess."""
    page = ui.render(props={"box": "refused"})
    page.click("Add")
    page.wait_for("Say something.")
    assert page.text("[role=alert]") == "Say something."
    assert page.count("li") == 0


def test_a_page_lives_through_a_cut_line(ui: Ui) -> None:
    """What was sent while the line was cut arrives once the client is back."""
    page = ui.render(props={"box": "cut"})
    page.fill("Body", "still here")
    page.cut()
    page.click("Add")
    page.wait_gone("(sending)", timeout_s=8)
    assert page.text("li") == "still here Remove"


def test_controls_tell_their_state(ui: Ui) -> None:
    """Enabled or not, chosen options, attributes, hidden text."""
    page = ui.render(props={"box": "state"})
    page.fill("Body", "never")
    assert not page.is_enabled("Add")
    page.fill("Body", "now")
    page.wait_enabled("Add")
    page.fill("Colour", "blue")
    assert page.value("Colour") == "blue"
    assert page.attribute("select", "name") is None
    assert "unseen" not in page.text()
    assert "unseen" in page.html()


def test_another_export_with_props(ui: Ui) -> None:
    """Components can be rendered by export name, with props."""
    assert ui.render(APP, export="Other", props={"name": "Ann"}).text() == "Hello Ann"


def test_files_are_uploaded_and_the_internet_is_out_of_reach(ui: Ui) -> None:
    """The page's fetch reaches the backend, and nothing else."""
    page = ui.render("src/Upload.tsx")
    page.click("Upload")
    page.wait_for("200 string TypeError")


def test_a_failure_says_what_was_on_the_page(ui: Ui) -> None:
    """The message names what was looked for, and shows the page."""
    page = ui.render(props={"box": "empty"})
    page.wait_for("Add")
    with pytest.raises(UiFailed, match=r'there is no button named "Delete"(.|\n)*Body(.|\n)*Add'):
        page.click("Delete")
    with pytest.raises(UiFailed, match=r'"gone" did not appear within 0\.1 s'):
        page.wait_for("gone", timeout_s=0.1)
    with pytest.raises(UiFailed, match='does not offer "green" but "red", "blue"'):
        page.fill("Colour", "green")


def test_controls_of_the_same_name_need_to_be_told_apart(ui: Ui) -> None:
    """Two buttons of one name are not guessed between."""
    page = ui.render(props={"box": "twice"})
    for body in ("one", "two"):
        page.fill("Body", body)
        page.click("Add")
        page.wait_for_value("Body", "")
    with pytest.raises(UiFailed, match='there are 2 of: button named "Remove"'):
        page.click("Remove")


def test_only_one_page_at_a_time(ui: Ui) -> None:
    """A page that was replaced is a mistake of the grader's, not of the component."""
    first = ui.render(props={"box": "a"})
    ui.render(props={"box": "b"})
    with pytest.raises(UiBroken, match="after another one was rendered"):
        first.text()
