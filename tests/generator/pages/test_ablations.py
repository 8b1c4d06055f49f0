"""The pages of ablations: the section that is missed, and the size of the loss."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.build import build
from generator.render.template_filters import MISSING, format_points
from generator.sources import Sources
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.run import Experiment
from records.shapes.trial import Edition, GuidelinesTrial, TrialRun
from records.suites.experiments import LEFT_OUT, PLACEBO
from records.writer import write_record, write_run
from tests.records import examples

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
EVALS = 10
TRIAL = "t" * 32


def test_a_section_that_is_missed_stands_out_with_its_evals(site: Path) -> None:
    """Nine lost of ten is worse by more than chance, and each lost eval leads to both attempts."""
    page = LexborHTMLParser((site / "ablations" / TRIAL / "index.html").read_text())
    rows = read_cells(page, "#left-out ~ section tbody tr")
    assert rows[0][:2] == ["validators", "worse"]
    assert rows[0][2] == "\N{MINUS SIGN}90.0"
    assert rows[0][6:] == ["9", "0", "10", "500"]
    assert rows[1][:2] == ["testing", "may be chance"]
    assert rows[1][6:] == ["0", "0", "10", "300"]
    assert [node.text() for node in page.css("td strong")] == ["worse"] * 2
    lost = page.css("table.moved")[0].css("tbody tr")
    assert len(lost) == 9
    assert {len(row.css("a")) for row in lost} == {3}
    assert {row.css("td")[-2].text() for row in lost} == {"lost"}
    for link in page.css("main a"):
        target = (link.attributes["href"] or "").partition("#")[0]
        path = (site / "ablations" / TRIAL / target).resolve()
        assert path.exists(), target
    assert "With the whole text 10 of 10 passed" in read_main_text(page)
    answer = " ".join(page.css("#answer")[0].text().split())
    name = examples.make_run().model.name
    assert answer == (
        f"{name} was asked without 3 sections, one at a time (1,000 of the text's 1,000 tokens)."
        f" Without the section validators {name} passes fewer"
        " evals, by more than chance. Without the other section tried the difference may be chance."
        " 1 section has no judged answers yet."
    )
    guidelines = LexborHTMLParser((site / "guidelines" / "index.html").read_text())
    for part in guidelines.css("#parts"):
        assert answer in " ".join(part.text().split())


def test_the_placebo_stands_in_a_table_of_its_own(site: Path) -> None:
    """The run with a placebo is compared with the whole text as well."""
    page = LexborHTMLParser((site / "ablations" / TRIAL / "index.html").read_text())
    (row,) = read_cells(page, "#placebo ~ section .effects tbody tr")
    assert (row[0], row[1], row[6]) == ("validators", "worse", "9")
    names = [link.text() for link in page.css("#placebo ~ section .moved tbody a")]
    assert names[1:3] == [
        f"whole text: {names[0]}",
        f"with a placebo validators: {names[0]}",
    ]
    assert page.css("#placebo ~ section .moved td.slug")[0].text() == examples.make_eval_name(1)
    assert not [name for name in names if "without" in name]


def test_a_run_that_is_not_recorded_is_reported_and_counts_for_nothing(site: Path) -> None:
    """The section `missing` has no figures: not 0 lost, and no verdict."""
    page = LexborHTMLParser((site / "ablations" / TRIAL / "index.html").read_text())
    row = read_cells(page, "#left-out ~ section tbody tr")[2]
    assert row[0] == "missing"
    assert row[1:] == ["not judged", MISSING, "", "", MISSING, MISSING, MISSING, "0", "200"]
    assert "1 run of it is not recorded here." in read_main_text(page)


def test_the_table_agrees_with_the_page(site: Path) -> None:
    """Each section and edition has a row, null without a judgement, under its own schema."""
    api = site / "api" / "v1"
    rows = json.loads((api / "ablations.json").read_text())["rows"]
    verdicts = [
        (row["section"], row["edition"], row["conclusion"], row["lost"], row["gained"])
        for row in rows
    ]
    assert verdicts == [
        ("validators", "left_out", "worse", 9, 0),
        ("validators", "placebo", "worse", 9, 0),
        ("testing", "left_out", "noise", 0, 0),
        ("missing", "left_out", None, None, None),
    ]
    assert rows[0]["difference"] == pytest.approx(-0.9)
    assert (rows[3]["difference"], rows[3]["evals"]) == (None, 0)
    page = LexborHTMLParser((site / "ablations" / TRIAL / "index.html").read_text())
    ends = read_cells(page, "#left-out ~ section tbody tr")[0][3]
    low, high = (format_points(100 * rows[0][f"difference_{end}"]) for end in ("low", "high"))
    assert ends.endswith(f"{low} to {high}")
    for kind in ("ablations.json", "ablations.csv"):
        assert page.css_first(f'main a[href$="api/v1/{kind}"]') is not None


def test_editions_stand_in_no_leaderboard(site: Path) -> None:
    """The run with the whole text is an ordinary run; runs without a section are no rows."""
    paths = [f"{name}/index.html" for name in (".", "matrix", "compare", "changes")]
    for name in [*paths, "with-guidelines/index.html", "feed.xml"]:
        page = (site / name).read_text()
        assert LEFT_OUT not in page, name
        assert PLACEBO not in page, name
    table = LexborHTMLParser((site / "index.html").read_text())
    assert len(table.css("main table.board tbody tr .value")) == 1


def test_the_page_goes_with_the_record_of_its_trial(tmp_path: Path) -> None:
    """A build without the record removes the page; a build with a new record replaces it."""
    data = examples.write_runs(DataFolder(tmp_path / "data"), evals=EVALS)
    made = [
        write_edition(data, "b", "default", Edition.WHOLE, None, 0, EVALS),
        write_edition(data, "c", f"{LEFT_OUT}testing", Edition.LEFT_OUT, "testing", 300, 1),
    ]
    sources = Sources(data, ROOT / "site_templates", ROOT / "evals", local=False)
    page = tmp_path / "site" / "ablations" / TRIAL / "index.html"
    write_record(data.trials, make_trial(made))
    build(sources, tmp_path / "site")
    assert "1,000 tokens" in page.read_text()
    longer = [entry.model_copy(update={"tokens": 2000}) for entry in made]
    write_record(data.trials, make_trial(longer))
    build(sources, tmp_path / "site")
    assert "2,000 tokens" in page.read_text()
    data.trials.get_file(TRIAL).unlink()
    build(sources, tmp_path / "site")
    assert not page.exists()


def read_main_text(page: LexborHTMLParser) -> str:
    """Return the text of a page's main part."""
    (main,) = page.css("main")
    return main.text()


def read_cells(page: LexborHTMLParser, rows: str) -> list[list[str]]:
    """Return the text of each cell of the rows that match a selector."""
    matches = page.css(rows)
    return [[cell.text().strip() for cell in row.css("th, td")] for row in matches]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site over an ablation of three sections: a section has a placebo, another has no run."""
    root = tmp_path_factory.mktemp("ablation")
    data = examples.write_runs(DataFolder(root / "data"), evals=EVALS)
    made = [
        write_edition(data, "b", "default", Edition.WHOLE, None, 0, EVALS),
        write_edition(data, "c", f"{LEFT_OUT}validators", Edition.LEFT_OUT, "validators", 500, 1),
        write_edition(data, "d", f"{PLACEBO}validators", Edition.PLACEBO, "validators", 500, 1),
        write_edition(data, "e", f"{LEFT_OUT}testing", Edition.LEFT_OUT, "testing", 300, EVALS),
        write_edition(data, "f", f"{LEFT_OUT}missing", Edition.LEFT_OUT, "missing", 200, None),
    ]
    write_record(data.trials, make_trial(made))
    build(Sources(data, ROOT / "site_templates", ROOT / "evals", local=False), root / "site")
    return root / "site"


def make_trial(runs: Sequence[TrialRun]) -> GuidelinesTrial:
    """Return an ablation of these runs."""
    version = examples.make_benchmark(EVALS).version
    return examples.make_trial(*runs, trial_id=TRIAL, benchmark_version=version, budget_usd=5.0)


def write_edition(  # noqa: PLR0913, PLR0917 - what tells editions apart
    data: DataFolder,
    letter: str,
    experiment: str,
    kind: Edition,
    section: str | None,
    section_tokens: int,
    passing: int | None,
) -> TrialRun:
    """Write a run in which the first ``passing`` evals pass, none for None; return its entry."""
    if passing is not None:
        outcomes = [Outcome.PASSED if at < passing else Outcome.FAILED for at in range(EVALS)]
        run = examples.with_attempts(
            examples.make_run(letter * 32, EVALS),
            [
                examples.make_attempt(examples.make_eval_name(at), outcome=outcome)
                for at, outcome in enumerate(outcomes)
            ],
            experiment=Experiment(name=experiment, guidelines=examples.make_digest(letter)),
        )
        write_run(data, run)
    length = None if section is None else section_tokens
    return examples.make_trial_run(
        letter, kind, section, experiment=experiment, section_tokens=length
    )


def test_the_list_counts_findings_of_each_ablation(site: Path) -> None:
    """The row counts three sections, one missed, none better without; the guidelines link here."""
    page = LexborHTMLParser((site / "ablations" / "index.html").read_text())
    (row,) = read_cells(page, "main tbody tr")
    assert row[2:5] == ["3", "1", "0"]
    assert len(page.css(f'main tbody th a[href="../ablations/{TRIAL}/"]')) == 1
    guidelines = LexborHTMLParser((site / "guidelines" / "index.html").read_text())
    assert guidelines.css_first('main a[href="../ablations/"]') is not None
