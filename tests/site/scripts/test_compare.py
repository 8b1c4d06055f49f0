"""The page of comparisons in a browser: models are chosen by name, which loads their files."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from records.files.data_folder import DataFolder
from records.text.visible import make_visible
from tests.records.archives.reading import read_attempt
from tests.site.corpus import HARM, RIGHT_TO_LEFT, SUITE, VERSION
from tests.site.example_site import BuiltSite
from tests.site.watching import disable_scripts, open_window

pytestmark = pytest.mark.integration
_FIRST, _SECOND = "GPT-5.2 Codex", "Gemini 3 Flash Preview"


def test_two_models_chosen_by_name_are_distinguished(page: Page, address: str) -> None:
    """A sentence has the difference, and its numbers agree with the listed evals."""
    page.goto(f"{address}compare/")
    overview = page.locator("[data-overview]")
    assert overview.is_visible()
    for field, name in (("First model", _FIRST), ("Second model", _SECOND)):
        page.get_by_label(field).fill(name)
        page.keyboard.press("Tab")
    expect(page.locator("[data-compare-note]")).to_have_text("They differ in 11 evals.")
    expect(page.locator(".answer")).to_contain_text(
        f"{_FIRST} does better than {_SECOND} on 3 and worse on 8 of 66 evals."
    )
    expect(page.locator("[data-compared] h2")).to_have_text(
        ["Where attempts failed", f"{_FIRST} does better 3", f"{_SECOND} does better 8"]
    )
    expect(overview).to_be_hidden()
    chosen = "?models=openai%2Fgpt-5.2-codex,google%2Fgemini-3-flash-preview"
    expect(page).to_have_url(f"{address}compare/{chosen}")
    page.goto(page.url)
    expect(page.locator(".answer")).to_be_visible()


def test_two_names_in_full_are_compared_without_enter(page: Page, address: str) -> None:
    """The result comes with the last letter of the second name, before the field is left."""
    page.goto(f"{address}compare/")
    page.get_by_label("First model").fill(_FIRST)
    expect(page.locator(".answer")).to_have_count(0)
    page.get_by_label("Second model").fill(_SECOND)
    expect(page.locator(".answer")).to_be_visible()


def test_each_answer_that_differs_is_linked(page: Page, address: str) -> None:
    """A row leads to both answers, and has the reason of the failure."""
    page.goto(f"{address}compare/?models=openai/gpt-5.2-codex,google/gemini-3-flash-preview")
    row = page.locator("[data-compared] section:has(td.m) tbody tr").first
    expect(row).to_contain_text("deploy, by its publisher: literal widening (known gap)")
    answers = row.locator("td.m a").all()
    assert len(answers) == 2
    for answer in answers:
        href = answer.evaluate("(one) => one.href")
        assert page.request.get(href).ok


def test_three_models_are_distinguished_pair_by_pair(page: Page, address: str) -> None:
    """Each pair has a sentence for any names of models; each eval shown divides the three."""
    models = "maker0/model-0,maker1/model-1,maker3/model-3:free"
    page.goto(f"{address}benchmarks/{VERSION}/compare/?models={models}")
    expect(page.locator(".answer")).to_have_count(3)
    rows = page.locator("[data-compared] section:has(td.m) tbody tr")
    note = page.locator("[data-compare-note]")
    expect(note).to_have_text(f"They differ in {rows.count()} evals.")
    for row in rows.all():
        outcomes = {cell.locator("a").inner_text() for cell in row.locator("td.m").all()}
        assert len(outcomes) > 1


def test_two_runs_with_a_page_of_their_own_lead_to_it(page: Page, address: str) -> None:
    """They are of a model with guidelines and without; two models have no page and no link."""
    page.set_viewport_size({"width": 390, "height": 900})
    base = f"{address}benchmarks/{VERSION}/compare/?models="
    page.goto(f"{base}maker0/model-0,maker0/model-0%2Bno_guidelines")
    page.get_by_role("link", name="Their newest runs, with answers side by side").click()
    expect(page).to_have_url(re.compile(r"/diff/[0-9a-f]{32}/[0-9a-f]{32}/$"))
    sides = page.locator("#runs + section")
    expect(sides).to_contain_text("without guidelines")
    page.goto(f"{base}maker0/model-0,maker1/model-1")
    expect(page.locator(".answer")).to_have_count(1)
    assert page.locator(".answer a").count() == 0


def test_a_name_that_nobody_has_is_reported(page: Page, address: str) -> None:
    """The overview stays, and the note names the written name."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(color_scheme="dark")
    page.goto(f"{address}compare/")
    page.get_by_label("First model").fill("nobody")
    page.keyboard.press("Tab")
    expect(page.locator("[data-compare-note]")).to_contain_text("No model is called “nobody” here")
    expect(page.locator("[data-overview]")).to_be_visible()


def test_answers_are_promised_only_where_they_were_published(page: Page, address: str) -> None:
    """Imported runs have no answers: the link to the pair and those of the cells report it."""
    page.goto(f"{address}compare/?models=openai/gpt-5.2-codex,openai/gpt-5.2-codex%2Bno_guidelines")
    cell = page.locator("[data-compared] td.m a").first
    expect(cell).to_have_text(re.compile("(passed|failed): attempt of .+ at "))
    page.get_by_role("link", name="Their newest runs, eval by eval").click()
    expect(page.locator("#flips + .note")).to_have_text(
        "The answers were not published, so they cannot be shown side by side."
    )


def test_a_name_is_known_by_a_unique_part(page: Page, address: str) -> None:
    """The case of letters does not matter; a text in several names is not taken: all are named."""
    page.goto(f"{address}compare/")
    for field, written in (("First model", "gpt-5.3"), ("Second model", "flash")):
        page.get_by_label(field).fill(written)
        page.keyboard.press("Enter")
    expect(page.get_by_label("First model")).to_have_value("GPT-5.3 Codex")
    expect(page.get_by_label("Second model")).to_have_value(_SECOND)
    note = page.locator("[data-compare-note]")
    expect(note).to_contain_text("They differ in")
    page.get_by_label("Second model").fill("gemini 3 ")
    page.keyboard.press("Enter")
    expect(note).to_contain_text("“gemini 3” may be Gemini 3")


def test_a_name_of_another_version_is_reported_as_in_an_address(page: Page, address: str) -> None:
    """The page names the version with a run of the model, and does not call the name unknown."""
    page.goto(f"{address}compare/")
    page.get_by_label("First model").fill("Model 0")
    page.keyboard.press("Enter")
    missing = page.locator("[data-compare-missing]")
    expect(missing).to_contain_text("Model 0, with guidelines, has no score in this version.")
    expect(page.locator("[data-compare-note]")).to_have_text("")
    expect(missing.get_by_role("link").first).to_have_attribute(
        "href", re.compile(r"\?models=maker0%2Fmodel-0$")
    )


def test_without_a_script_each_model_stands_beside_its_neighbour(page: Page, address: str) -> None:
    """Each pair of neighbours has a line, and there is no control without an effect."""
    with disable_scripts(page):
        page.goto(f"{address}compare/")
        assert page.locator("#neighbours-1 + section tbody tr").count() == 5
        assert page.locator("main input:visible").count() == 0
        assert page.locator("a[href^='?models=']:visible").count() == 0
        page.locator("#both-ways + p a", has_text="GPT-5.2 Codex").click()
        expect(page.locator("h1")).to_have_text("GPT-5.2 Codex: two runs")


def test_two_files_state_the_same_of_a_pair(site: BuiltSite) -> None:
    """B against A is A against B turned around: counts are exchanged, and the sign changes."""
    folder = site.folder / "compare"
    first, second = (
        json.loads((folder / f"{key}.json").read_bytes())["against"]
        for key in ("openai/gpt-5.2-codex", "google/gemini-3-flash-preview")
    )
    assert "on 3 and worse on 8 of" in first["google/gemini-3-flash-preview"]
    assert "\N{MINUS SIGN}7.6 points" in first["google/gemini-3-flash-preview"]
    assert "on 8 and worse on 3 of" in second["openai/gpt-5.2-codex"]
    assert "+7.6 points" in second["openai/gpt-5.2-codex"]


def test_a_model_that_the_version_did_not_measure_is_named(page: Page, address: str) -> None:
    """The page names it, links the version that did, with the same choice; the rest is compared."""
    page.set_viewport_size({"width": 390, "height": 900})
    chosen = "?models=maker0/model-0,openai/gpt-5.2-codex,maker2/model-2"
    page.goto(f"{address}benchmarks/{VERSION}/compare/{chosen}")
    missing = page.locator("[data-compare-missing]")
    expect(missing).to_contain_text(f"{_FIRST}, with guidelines, has no score in this version.")
    expect(page.locator(".answer")).to_have_count(1)
    missing.get_by_role("link").first.click()
    expect(missing).to_contain_text("Model 0, with guidelines, has no score in this version.")
    chosen = re.escape(f"{address}compare/?models=maker0%2Fmodel-0,openai")
    expect(page).to_have_url(re.compile(f"^{chosen}"))
    expect(page.get_by_label("First model")).to_have_value(_FIRST)
    page.goto(f"{address}compare/?models=openai/gpt-5.2-codex,nobody/at-all")
    expect(missing).to_have_text("No run of “nobody/at-all” is known here.")
    page.get_by_label("Second model").fill(_SECOND)
    page.keyboard.press("Tab")
    expect(page.locator(".answer")).to_have_count(1)
    expect(missing).to_be_hidden()


def test_the_choice_goes_along_to_other_versions(page: Page, address: str) -> None:
    """The links to other versions have the models of the address and of the fields."""
    page.goto(f"{address}compare/?models=openai/gpt-5.2-codex")
    link = page.get_by_role("navigation", name="Benchmark version").get_by_role("link").last
    expect(link).to_have_js_property("search", "?models=openai%2Fgpt-5.2-codex")
    page.get_by_label("First model").fill(_SECOND)
    page.keyboard.press("Tab")
    expect(link).to_have_js_property("search", "?models=google%2Fgemini-3-flash-preview")


def test_failed_attempts_stand_by_step(page: Page, site: BuiltSite, address: str) -> None:
    """The rows have the counts of the models' files, in the order of grading; no row is empty."""
    page.set_viewport_size({"width": 390, "height": 900})
    keys = ("openai/gpt-5.2-codex", "google/gemini-3-flash-preview")
    page.goto(f"{address}compare/?models={','.join(keys)}")
    rows = page.get_by_role("table", name="Failed attempts by step").locator("tbody tr")
    expect(rows.last).to_contain_text("Attempts judged")
    table = {
        cells[0]: cells[1:]
        for cells in (row.locator("> *").all_inner_texts() for row in rows.all())
    }
    folder = site.folder / "compare"
    steps = json.loads((folder / "evals.json").read_bytes())["steps"]
    files = [json.loads((folder / f"{key}.json").read_bytes()) for key in keys]
    counts = {step: [file["steps"][at] for file in files] for at, step in enumerate(steps)}
    expected = {step: [str(n or "") for n in each] for step, each in counts.items() if any(each)}
    assert table == expected | {"Attempts judged": [str(file["attempts"]) for file in files]}
    assert list(table)[:-1] == [step for step in steps if step in table]


def test_a_phone_shows_why_each_answer_failed(page: Page, address: str) -> None:
    """No table of three models is wider than the window, and each outcome names its model."""
    page.set_viewport_size({"width": 390, "height": 900})
    models = "openai/gpt-5.2-codex,google/gemini-3-flash-preview,openai/gpt-5.3-codex"
    page.goto(f"{address}compare/?models={models}")
    reasons = page.locator(".told")
    expect(reasons.first).to_be_visible()
    for box in page.locator("[data-compared] .wide:has(.told)").all():
        assert box.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    reason = reasons.locator("td.text").first.bounding_box()
    assert reason is not None
    assert reason["x"] >= 0
    assert reason["x"] + reason["width"] <= 390
    label = reasons.locator("td.m").first.evaluate(
        "(one) => getComputedStyle(one, '::before').content"
    )
    assert label == f'"{_FIRST}"'


def test_a_name_from_right_to_left_turns_no_sentence_around(browser: Browser, address: str) -> None:
    """Text after the name stays after it; without the isolation it would not."""
    # The policy of the site is bypassed for the style that the test puts in.
    window = open_window(browser, 1280, bypass_csp=True)
    page = window.new_page()
    page.goto(f"{address}benchmarks/{VERSION}/")
    assert page.locator(".words bdi", has_text=RIGHT_TO_LEFT).count() > 0
    assert page.evaluate(_TURNED) == []
    page.goto(f"{address}benchmarks/{VERSION}/compare/?models=maker2/model-2,maker0/model-0")
    expect(page.locator(".answer bdi", has_text=RIGHT_TO_LEFT)).to_have_count(1)
    page.evaluate(_ADD_SENTENCE, RIGHT_TO_LEFT)
    assert page.evaluate(_TURNED) == []
    page.add_style_tag(content="bdi { unicode-bidi: normal; direction: inherit }")
    assert page.evaluate(_TURNED) == [RIGHT_TO_LEFT]
    window.close()


# A number follows the name on one line, whatever the lengths of the page's own names.
_ADD_SENTENCE = """(name) => {
  const sentence = document.createElement("p");
  sentence.className = "words";
  sentence.append(document.createElement("bdi"), " 1234 attempts");
  sentence.firstChild.textContent = name;
  document.querySelector("main").append(sentence);
}"""


# Words of sentences after a name that do not stand to its right, or on a later line.
_TURNED = """() => [...document.querySelectorAll(
  "h1 bdi, .answers bdi, .words bdi, .answer bdi",
)].flatMap((name) => {
  const after = name.nextSibling;
  if (!after?.textContent.trim()) return [];
  const range = document.createRange();
  range.setStart(after, 0);
  range.setEnd(after, Math.min(4, after.length));
  const last = [...name.getClientRects()].pop();
  const behind = [...range.getClientRects()].pop();
  const right = behind.top > last.top + 4 || behind.left >= last.right - 2;
  return right ? [] : [name.textContent];
})"""


_MODELS = {"maker0/model-0": "Model 0", "maker3/model-3:free": "Model 3"}
_COMPARED = f"benchmarks/{VERSION}/compare/?models={','.join(_MODELS)}"
_LINES = """(column) => [...document.querySelectorAll("dialog details.file")].map((file) => [
  file.querySelector("summary code").textContent,
  [...file.querySelectorAll("tbody tr:not(.folded)")].map((row) => {
    const text = row.cells[2 * column + 1].cloneNode(true);
    for (const hidden of text.querySelectorAll(".vh")) hidden.remove();
    return [row.cells[2 * column].textContent, text.textContent];
  }).filter(([number]) => number),
])"""


def _read_lines(page: Page, column: int) -> dict[str, dict[int, str]]:
    """The lines of each file in a column, by their numbers."""
    files: list[tuple[str, list[tuple[str, str]]]] = page.evaluate(_LINES, column)
    return {path: {int(number): text for number, text in lines} for path, lines in files}


def _open_answers(page: Page, address: str) -> str:
    """Open the answers to the first eval that only one model passes; return the eval's name."""
    page.goto(address + _COMPARED)
    page.get_by_role("link", name="side by side").first.click()
    expect(page.locator("dialog table.diff").first).to_be_visible()
    expect(page).to_have_url(re.compile("&eval="))
    match = re.search(r"&eval=([\w%.-]+)", page.url)
    assert match
    return match[1].replace("%2F", "/")


def test_each_line_shown_is_a_line_of_its_file(page: Page, site: BuiltSite, address: str) -> None:
    """The numbers agree for both stored answers, and for the reference without its canary."""
    name = _open_answers(page, address)
    assert page.locator("dialog thead tr").first.inner_text().split("\t")[1::2] == [
        *_MODELS.values(),
        "Reference",
    ]
    data = DataFolder(site.folder.parent / "data")
    differing = 0
    for column, slug in enumerate(_MODELS):
        href = page.locator("dialog li a").nth(column).get_attribute("href") or ""
        run_id = href.partition("runs/")[2].partition("/")[0]
        files = read_attempt(data.get_artifact_file(slug, run_id), name, 1).files
        for path, lines in _read_lines(page, column).items():
            texts = {make_visible(file): text for file, text in files.items()}
            whole = make_visible(texts.get(path, "")).split("\n")
            differing += HARM in texts.get(path, "")
            assert {number: whole[number - 1] for number in lines} == lines
    assert differing > 0
    reference = {path: lines for path, lines in _read_lines(page, len(_MODELS)).items() if lines}
    assert reference
    for path, lines in reference.items():
        text = (SUITE / name / "answer" / path).read_text()
        whole = [line for line in make_visible(text).split("\n") if "canary" not in line]
        assert {number: whole[number - 1] for number in lines} == lines


def test_the_address_opens_the_answers_and_closing_them_leads_back(
    page: Page, address: str
) -> None:
    """Escape closes, the eval leaves the address, and the followed link gets the focus."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(color_scheme="dark")
    name = _open_answers(page, address)
    page.goto(page.url)
    dialog = page.locator("dialog")
    expect(dialog.locator("table.diff").first).to_be_visible()
    assert dialog.get_by_role("link", name="Model 0").count() == 1
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page).not_to_have_url(re.compile("eval="))
    link = page.get_by_role("link", name="side by side").first
    link.click()
    expect(dialog.locator("table.diff").first).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape(name.replace("/", "%2F"))))
    dialog.get_by_role("button", name="Close").click()
    expect(link).to_be_focused()


def test_answers_that_nobody_kept_are_not_offered(page: Page, address: str) -> None:
    """The rows of imported runs have reasons of failures only; no page has their answers."""
    page.goto(f"{address}compare/?models=openai/gpt-5.2-codex,google/gemini-3-flash-preview")
    expect(page.locator("[data-compared] td.m").first).to_be_visible()
    assert page.get_by_role("link", name="side by side").count() == 0
