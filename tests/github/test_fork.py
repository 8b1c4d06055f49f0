"""Hostile records of a fork: in the real comparison and the real comment, nothing is active."""

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.report import ClassedFailure, Report, encode_report
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals
from records.writer import write_atomically, write_record, write_run
from tests.github.hosting import PREVIEW, run_comment_script, serve_repository
from tests.records import examples
from tests.support.git import commit_all, run_git
from tests.support.warm_command import ROOT, make_warm_program, start_server

pytestmark = pytest.mark.more

HARM: Final = (
    "@team `@team` ``` |\n\n| a | b |\n|---|---|\n</details><img src=https://evil.test/p.png> "
    "![x](https://evil.test/q.png) [here](https://evil.test) <!-- leaderboard:diff --> "
    "https://evil.test www.evil.test \u202e\x1b[31m #1 "
)
LONGEST_COMMENT: Final = 65_536
EVALS: Final = 60


def make_hostile_run(letter: str, outcome: Outcome) -> Run:
    """Return a run with a hostile text in every field that a stranger chooses."""
    made = examples.make_run(letter * 32, evals=EVALS)
    attempts = tuple(
        examples.make_attempt(name, outcome=outcome).model_copy(
            update={"reason": HARM * 20 if outcome is Outcome.FAILED else None}
        )
        for name in made.planned
    )
    model = made.model.model_copy(
        update={"name": HARM[:60].replace("\n", " "), "parameters": {HARM: HARM * 100}}
    )
    harness = made.harness and made.harness.model_copy(update={"toolchain": {"node": HARM * 9}})
    return made.model_copy(
        update={
            "attempts": attempts,
            "totals": compute_run_totals(attempts),
            "model": model,
            "harness": harness,
        }
    )


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """Return a repository whose second commit, a fork's, brings a hostile run and report."""
    data = DataFolder(tmp_path / "data")
    run_git(tmp_path, "init", "--quiet", "--initial-branch=main", ".")
    benchmark = examples.make_benchmark()
    each = next(iter(benchmark.evals.values()))
    evals = {examples.make_eval_name(number): each for number in range(EVALS)}
    write_record(data.benchmarks, benchmark.model_copy(update={"evals": evals}))
    write_run(data, examples.make_run("a" * 32, evals=EVALS))
    commit_all(tmp_path, "ours")
    run = make_hostile_run("b", Outcome.FAILED)
    write_run(data, run)
    failures = [
        {"eval": name, "class": "overly_strict", "note": HARM, "message": HARM}
        for name in run.planned
    ]
    report = Report(
        schema_version=2,
        run=run.run_id,
        author="@team",
        title=HARM[:70].replace("\n", " "),
        date=examples.NOON.date(),
        planned=EVALS,
        passed=0,
        failures=tuple(map(ClassedFailure.model_validate, failures)),
        text=f"{HARM}\n" + "| a | b |\n|---|---|\n" + f"| {HARM!r} | x |\n" * 300,
    )
    path = data.get_report_file(run.model.slug, run.run_id, report.date)
    write_atomically(path, encode_report(report).encode())
    assert path.stat().st_size > 70_000
    run_git(tmp_path, "checkout", "--quiet", "-b", "fork")
    commit_all(tmp_path, "theirs")
    return tmp_path


def test_nothing_of_a_forks_records_acts_in_the_comment(fork: Path) -> None:
    """The comment has no mention, element, image or link of them, and is short enough."""
    out = fork / "out"
    script = ROOT / "scripts" / "compare-revisions"
    summary = fork / "summary.md"
    subprocess.run(
        [script, "main", "fork", out, PREVIEW, fork / "data"],
        cwd=fork,
        env=os.environ
        | {"LEADERBOARD": str(make_warm_program()), "GITHUB_STEP_SUMMARY": str(summary)},
        check=True,
        capture_output=True,
        pass_fds=[start_server().fileno()],
    )
    with serve_repository() as repository:
        names = ("comparison.md", "comparison.json")
        repository.files = {name: (out / name).read_bytes() for name in names}
        done = run_comment_script(repository)
        assert done.returncode == 0, done.stderr
        (posted,) = repository.comments
        (check,) = repository.checks
    body = posted["body"]
    assert len(body) < LONGEST_COMMENT
    assert "@team" not in body
    assert body.count("<!--") == 1
    assert {check["conclusion"]} <= {"failure", "neutral"}
    for text in (body, summary.read_text("utf-8")):
        page = LexborHTMLParser(MarkdownIt("gfm-like", {"linkify": False}).render(text))
        links = [link.attributes["href"] or "" for link in page.css("a")]
        assert len(links) > EVALS // 2
        assert [link for link in links if not link.startswith(f"{PREVIEW}/")] == []
        assert page.css("img, script, iframe, form") == []
        # Folds are ours: each has a title of ours, and an end.
        titles = [title.text() for title in page.css("details > summary")]
        assert titles == ["Verdicts that flipped, and other differences"]
        assert len(page.css("details")) == 1
