"""A pull request and a repaired grader, from beginning to end, with real git and real commands."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urldefrag

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser, LexborNode

from records.files.data_folder import DataFolder
from records.reader import read_report, read_run
from records.shapes.attempt import Outcome, StepName
from records.shapes.failure_classes import FailureClass
from records.shapes.report import Report, encode_report
from records.shapes.run import Run
from records.writer import write_atomically, write_run
from runner.answers.reply import render_reply
from tests.github.hosting import PREVIEW, run_comment_script, serve_repository
from tests.leaderboard.commanding import serve_provider
from tests.runner.small_eval import GRADER, make_value_answer, write_eval
from tests.site.test_links import find_dead_links
from tests.support.git import commit_all, run_git
from tests.support.warm_command import (
    ROOT,
    make_command_environment,
    make_warm_program,
    run_command,
    start_server,
)

pytestmark = pytest.mark.integration

PRICED: Final = "knowing"
"""The model whose price is known."""
OLD_LINE: Final = "Functions are exported from modules."
NEW_LINE: Final = "Values that nobody names are forty-two."
RIGHT: Final = {"text": render_reply(make_value_answer(42))}
WRONG: Final = {"text": "Prose, and no files."}
STRICT: Final = '''

def test_spelling() -> None:
    """The value is spelled out."""
    assert "42" == "forty-two"
'''


class Clone:
    """A clone of a project: its suite, data and templates, under git."""

    def __init__(self, folder: Path) -> None:
        """Use the working tree at ``folder``."""
        self.folder = folder
        self.data = DataFolder(folder / "data")
        self.suite = folder / "evals"
        self.site = folder / "site"

    def run_git(self, *arguments: str) -> str:
        """Run git here; return its output."""
        return run_git(self.folder, *arguments)

    def commit(self, message: str) -> None:
        """Commit everything."""
        commit_all(self.folder, message)

    def run_leaderboard(self, *arguments: str, code: int = 0) -> str:
        """Run a command over this clone; it must end with ``code``. Return its output."""
        folders = ["--data", self.data.root]
        if arguments[0] not in {"check", "diff", "publish", "withdraw"}:
            folders += ["--evals", self.suite]
        if arguments[0] in {"build", "diff"}:
            folders += ["--templates", self.folder / "site_templates"]
        done = run_command(
            *arguments, *folders, env=make_command_environment(OPENAI_API_KEY="sk-test")
        )
        assert done.returncode == code, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def build(self) -> None:
        """Build the site strictly; no link in it is dead."""
        self.run_leaderboard("build", "--strict", "--out", str(self.site))
        assert find_dead_links(self.site) == []

    def read_page(self, path: str) -> LexborHTMLParser:
        """Return a page of the built site."""
        return LexborHTMLParser((self.site / path / "index.html").read_text("utf-8"))

    def read_table(self, name: str) -> list[dict[str, object]]:
        """Return the rows of a published table."""
        text = (self.site / "api" / "v1" / f"{name}.json").read_text("utf-8")
        return json.loads(text)["rows"]

    def read_ranks(self) -> dict[object, object]:
        """Return the best and the worst possible place of each model."""
        rows = self.read_table("leaderboard")
        return {row["model"]: (row["rank_low"], row["rank_high"]) for row in rows}

    def read_published_runs(self) -> list[Run]:
        """Return the published runs."""
        return [read_run(path) for path in self.data.list_run_files()]

    def find_newest_run(self, slug: str, experiment: str) -> Run:
        """Return the latest run of a model and experiment."""
        alike = [
            run
            for run in self.read_published_runs()
            if (run.model.slug, run.experiment.name) == (slug, experiment)
        ]
        return max(alike, key=lambda run: (str(run.started_at), run.run_id))

    def class_failures(self, run: Run, kind: FailureClass, note: str) -> Report:
        """Begin the report on a run and class its failures, as a person does; return the report.

        Failures of tests get the class ``kind``; all other failures are the model's fault.
        """
        self.run_leaderboard("report", run.run_id[:8], "--author", "a maintainer")
        (path,) = [
            candidate
            for candidate in self.data.list_report_files()
            if read_report(candidate).run == run.run_id
        ]
        begun = read_report(path)
        failures = tuple(
            failure.model_copy(
                update={
                    "failure_class": kind
                    if failure.step is StepName.TESTS
                    else FailureClass.MODEL_FAULT,
                    "note": note,
                }
            )
            for failure in begun.failures
        )
        report = begun.model_copy(update={"failures": failures, "draft": False})
        write_atomically(path, encode_report(report).encode())
        return report


def write_project(folder: Path, evals: int, grader: str) -> None:
    """Write a project with a suite of evals that are answered alike, under git and minted."""
    root = folder / "evals"
    root.mkdir(parents=True)
    (root / "guidelines.md").write_text(f"# Guidelines\n\n## Values\n\n{OLD_LINE}\n")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "evals" / name, root / name)
    (root / "node_modules").symlink_to(ROOT / "evals" / "node_modules")
    for number in range(evals):
        home = root / "000-fundamentals" / f"{number:03}-value"
        write_eval(home, f"Return the value, number {number}.", grader)
    ignored = shutil.ignore_patterns("__pycache__")
    templates = shutil.copytree(ROOT / "site_templates", folder / "site_templates", ignore=ignored)
    settings = Path(templates) / "site.toml"
    text = settings.read_text()
    for name, address in (("address", PREVIEW), ("repository", "https://github.com/us/board")):
        text = re.sub(rf"(?m)^{name} = .*$", f'{name} = "{address}"', text)
    settings.write_text(text)
    (folder / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "method.md", folder / "docs")
    (folder / ".gitignore").write_text("site/\n.site.build/\ndata/local/\n__pycache__/\n")
    (folder / "data").mkdir()
    project = Clone(folder)
    project.run_git("init", "--quiet", "--initial-branch=main", ".")
    project.run_leaderboard("suite", "mint")
    project.commit("begin")


@pytest.fixture
def models(tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """Serve two models by name: one obeys the new line of the guidelines, one knows most."""
    obeying = {"rules": [{"match": NEW_LINE, "then": RIGHT}], "default": WRONG}
    knowing = {"rules": [{"match": "number 0", "then": WRONG}], "default": RIGHT}
    with (
        serve_provider(tmp_path / "obeying", obeying) as first,
        serve_provider(tmp_path / "knowing", knowing) as second,
    ):
        yield {"obeying": first, "knowing": second}


def ask(clone: Clone, models: Mapping[str, str], *experiments: str) -> None:
    """Run both models under each of ``experiments``, and publish."""
    for name, address in models.items():
        for experiment in experiments:
            options = ("-m", f"openai/{name}", "--api-base", address, "-e", experiment)
            price = ("--price", "3/15") if name == PRICED else ()
            clone.run_leaderboard("run", *options, *price, "--publish", "--why", "a story of tests")


def write_comment(clone: Clone, folder: Path) -> str:
    """Compute the comparison as pr.yml does, write the comment as comment.yml does; return it."""
    subprocess.run(
        [
            *(ROOT / "scripts" / "compare-revisions", "main", "HEAD", folder, PREVIEW),
            clone.data.root,
        ],
        cwd=clone.folder,
        env=os.environ | {"LEADERBOARD": str(make_warm_program())},
        check=True,
        capture_output=True,
        pass_fds=[start_server().fileno()],
    )
    with serve_repository() as repository:
        repository.files = {
            name: (folder / name).read_bytes() for name in ("comparison.md", "comparison.json")
        }
        done = run_comment_script(repository)
        assert done.returncode == 0, done.stderr
        (posted,) = repository.comments
        return posted["body"]


def find_one(tree: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    """Return the first node that a selector finds; a missing node fails the test."""
    node = tree.css_first(selector)
    assert node is not None, selector
    return node


def render_comment(markdown: str) -> LexborHTMLParser:
    """Return markdown as GitHub shows it."""
    return LexborHTMLParser(MarkdownIt("gfm-like", {"linkify": False}).render(markdown))


def list_table_rows(tree: LexborHTMLParser, head: str) -> list[list[LexborNode]]:
    """Return the cells of the body of each table whose first row begins with ``head``."""
    return [
        row.css("td")
        for table in tree.css("table")
        if find_one(table, "th").text(strip=True) == head
        for row in table.css("tbody tr")
    ]


def read_link(cell: LexborNode) -> str:
    """Return the target of the link in a cell, below the site's root and without a fragment."""
    href = find_one(cell, "a").attributes["href"] or ""
    return unquote(urldefrag(href.removeprefix(f"{PREVIEW}/"))[0])


@pytest.mark.parametrize(
    "experiments",
    [
        pytest.param(("default",), id="short"),
        pytest.param(("default", "no_guidelines"), id="long"),
    ],
)
@pytest.mark.night
def test_a_line_of_the_guidelines_is_changed(
    tmp_path: Path, models: Mapping[str, str], experiments: Sequence[str]
) -> None:
    """From the clone to the comment: its links lead to pages of the site with the same values."""
    write_project(tmp_path / "upstream", 3, GRADER)
    ask(Clone(tmp_path / "upstream"), models, *experiments)
    Clone(tmp_path / "upstream").commit("results")
    subprocess.run(
        ["git", "clone", "--quiet", tmp_path / "upstream", tmp_path / "clone"], check=True
    )
    clone = Clone(tmp_path / "clone")
    clone.run_git("checkout", "--quiet", "-b", "line")
    guidelines = clone.suite / "guidelines.md"
    guidelines.write_text(guidelines.read_text().replace(OLD_LINE, NEW_LINE))
    clone.run_leaderboard("suite", "mint")
    before = clone.find_newest_run("local/obeying", "default")
    ask(clone, models, *experiments)
    after = clone.find_newest_run("local/obeying", "default")
    output = clone.run_leaderboard("diff", before.run_id[:8], after.run_id[:8], "--markdown")
    assert "3 evals fixed, 0 broken of 3" in output
    knowing = clone.find_newest_run("local/knowing", "default")
    report = clone.class_failures(knowing, FailureClass.MODEL_FAULT, "it writes prose")
    assert len(report.failures) == 1
    clone.run_leaderboard("check")
    clone.commit("a line of the guidelines")
    clone.build()

    body = write_comment(clone, tmp_path / "out")
    assert len(body) < 65_536
    page = render_comment(body)
    links = [link.attributes["href"] or "" for link in page.css("a")]
    assert len(links) > 10
    (clone.site / "comment").mkdir()
    (clone.site / "comment" / "index.html").write_text(
        (page.html or "").replace(f"{PREVIEW}/", "/")
    )
    assert find_dead_links(clone.site) == []
    _assert_flips_match(clone, page)
    _assert_scores_match(clone, page, len(models) * len(experiments))
    assert any("/reports/local/knowing/" in link for link in links)


def _assert_flips_match(clone: Clone, page: LexborHTMLParser) -> None:
    """The new verdict, step and reason of each flip are the same on the attempt's page."""
    flips = list_table_rows(page, "eval")
    assert len(flips) == 3
    for name, change, before, after, step, _ in flips:
        attempt = clone.read_page(read_link(name))
        verdict = find_one(attempt, ".verdict").text()
        assert name.text(strip=True) in find_one(attempt, "main").text()
        assert change.text() == "fixed"
        assert (before.text(), after.text()) == ("0/1", "1/1")
        assert verdict.startswith("passed")
        assert step.text() == "filesystem"


def _assert_scores_match(clone: Clone, page: LexborHTMLParser, standings: int) -> None:
    """New scores and ranks are the same on the model's page, under the same experiment."""
    moved = [row for row in list_table_rows(page, "model") if row[4].text() != "none"]
    assert len(moved) == standings
    labels = {"default": "with guidelines", "no_guidelines": "without guidelines"}
    for model, experiment, _, _, score, _, rank in moved:
        entries = clone.read_page(read_link(model)).css("#standing ~ section tbody tr")
        (entry, *_) = [
            candidate.css("td")
            for candidate in entries
            if candidate.css("td")[0].text() == labels[experiment.text()]
        ]
        assert entry[1].text().removeprefix("=").startswith(rank.text())
        # Of a few evals the page shows a count, and keeps the percentage to sort by.
        assert f"{float(entry[2].attributes['data-value'] or ''):.1f}%" == score.text()


@pytest.mark.night
def test_a_grader_is_mended(tmp_path: Path, models: Mapping[str, str]) -> None:
    """Report, regrade, errata, ranks, verify: after an edit of a record, verify fails."""
    write_project(tmp_path / "clone", 7, GRADER + STRICT)
    clone = Clone(tmp_path / "clone")
    ask(clone, models, "default")
    strict = clone.find_newest_run("local/knowing", "default")
    clone.class_failures(strict, FailureClass.OVERLY_STRICT, "nobody asked for words")
    clone.run_leaderboard("check")
    clone.build()
    assert set(clone.read_ranks().values()) == {(1, 2)}
    clone.commit("results by a grader that is too strict")

    for grader in clone.suite.glob("*/*/grader.py"):
        grader.write_text(GRADER)
    clone.run_leaderboard("suite", "mint")
    output = clone.run_leaderboard("regrade", "--all", "--why", "words were not asked for")
    assert output.count("failed before, passed now") == 6
    clone.run_leaderboard("report", strict.run_id[:8], "--update", "--author", "me")
    clone.run_leaderboard("check")
    clone.build()
    ranks = clone.read_ranks()
    assert ranks == {"local/knowing": (1, 1), "local/obeying": (2, 2)}
    _assert_errata(clone)
    clone.commit("a grader is mended")
    moved = json.loads(clone.run_leaderboard("diff", "HEAD~1", "HEAD", "--json"))["moved"]
    now = {row["slug"]: tuple(row["rank_after"]) for row in moved if row["rank_after"]}
    assert now == ranks
    counted = json.loads(clone.run_leaderboard("verify", "--all", "--json"))
    assert {row["result"] for row in counted} == {"reproduced"}
    assert len(counted) == 14

    forged = _tamper(clone)
    red = clone.run_leaderboard("verify", forged.run_id, "-f", "000-value", code=1)
    assert "000-fundamentals/000-value sample 1: differs; published: passed" in red


def _assert_errata(clone: Clone) -> None:
    """Seven evals, of which six moved a run by a seventh of a hundred points, with their class."""
    page = clone.read_page("errata")
    assert len(page.css("main h2")) == 7
    text = " ".join(find_one(page, "main").text().split())
    assert text.count("1 of 2 verdicts changed. What changed in grading: the grader.") == 6
    assert text.count("Why: words were not asked for") == 7
    points = [row.css("td")[-1].text() for row in page.css("tbody tr")]
    assert points.count("+14.3") == 6
    assert points.count("0.0") == 8
    assert text.count("overly strict grader") == 6
    log = find_one(clone.read_page("changes"), "main").text()
    assert "7 attempts graded again, 6 outcomes changed: words were not asked for" in log


def _tamper(clone: Clone) -> Run:
    """Turn a failure into a pass, in a record that stays consistent; return its run."""
    run = clone.find_newest_run("local/knowing", "default")
    first, *remaining = run.attempts
    assert first.outcome is Outcome.FAILED
    steps = tuple(
        step.model_copy(update={"outcome": Outcome.PASSED, "message": None})
        for step in first.steps or ()
    )
    forged = first.model_copy(
        update={"outcome": Outcome.PASSED, "failed_step": None, "reason": None, "steps": steps}
    )
    write_run(clone.data, run.model_copy(update={"attempts": (forged, *remaining)}))
    return run
