"""Each kind of change is counted in the first line, and has a part of its own."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from generator.diff.data_diff import ChangeKind
from leaderboard.changes.description import SITE_PATHS
from records.reader import read_run
from records.shapes.attempt import Outcome
from records.shapes.run import Withdrawal
from runner.evals.discovery import discover
from runner.suite.mint import mint
from tests.github.hosting import PREVIEW
from tests.leaderboard.changes.scratch import EVAL, Scratch, write_comment, write_headline
from tests.records import examples
from tests.support.git import run_git
from tests.support.site_links import assert_no_broken_link
from tests.support.warm_command import ROOT, run_command

pytestmark = pytest.mark.integration

NEW_EVAL = "000-fundamentals/009-new"


def test_each_kind_has_its_count_and_its_part(scratch: Scratch) -> None:
    """The whole comment is approved: APPROVE=1 writes it anew.

    Only a model with a run has a page, a rank has the number of ranked models, and infrastructure
    is no failure. Files of no other kind are named, so that they do not come in unseen.
    """
    run = scratch.run("b", passed=3, slug="maker/other")
    broken = examples.make_attempt(run.attempts[0].eval, outcome=Outcome.INFRASTRUCTURE)
    unjudged = examples.with_attempts(
        scratch.run("c", slug="maker/other"), (broken, *run.attempts[1:])
    )
    alone = run.model_copy(
        update={"run_id": "d" * 32, "experiment": examples.make_run().experiment}
    )
    (path,) = scratch.data.list_run_files()
    why = Withdrawal(by="us", reason="wrong key @team")
    withdrawn = read_run(path).model_copy(update={"withdrawn": why})
    for changed in (run, unjudged, alone, withdrawn):
        scratch.publish(changed)
    scratch.report(unjudged, draft=True)
    scratch.report(scratch.run("a"), failure_class="model_fault")
    models = scratch.data.models_file.read_text("utf-8").replace('"GPT Example"', '"Renamed"')
    scratch.write("data/models.toml", models.replace("maker/other", "maker/new"))
    guidelines = (scratch.evals / "guidelines.md").read_text("utf-8").replace("right", "best")
    scratch.write(
        "evals/guidelines.md", f"{guidelines}\n## Shapes\n\nGive every table its shape.\n"
    )
    shutil.copytree(scratch.evals / EVAL, scratch.evals / NEW_EVAL)
    for other in (
        "data/.hidden",
        # Answers of a published run are exchanged, and its record stays.
        f"data/artifacts/openai/gpt-example/{'a' * 32}.zip",
        "data/artifacts/openai/gpt-example/x.zip",
        "data/benchmarks/0123456789ab.txt",
        "data/runs/elsewhere.json",
        "data/sessions/abcdefgh.json",
        "evals/000-fundamentals/notes.md",
        "evals/notes.md",
        "evals/tool/000-x/a.py",
    ):
        scratch.write(other, "{}\n")
    text = re.sub(r"\b[0-9a-f]{12}\b", "(commit)", write_comment(scratch.describe()))
    approved = Path(__file__).with_suffix(".txt")
    if os.environ.get("APPROVE"):
        approved.write_text(text, "utf-8")
    assert text == approved.read_text("utf-8")


def test_an_eval_is_changed(scratch: Scratch) -> None:
    """The comment names each changed part once; survivors alone show nothing on the site."""
    parts = {
        "calibration/survivors.toml": "variants",
        "TASK.txt": "task",
        "answer/convex/a.ts": "reference answer",
        "eval.toml": "configuration",
        "grader.py": "grader",
        "check_more.py": "grader",
        "notes.md": "other files",
    }
    for number, path in enumerate(parts):
        file = scratch.evals / EVAL / path
        before = file.read_text("utf-8") if file.exists() else ""
        scratch.write(f"evals/{EVAL}/{path}", f"{before}\n# more\n")
        if not number:
            headline = write_headline(scratch.describe())
            assert headline.startswith("Merging: 1 eval changed")
            assert "nothing that the site shows" in headline
    change = scratch.describe()
    (eval_change,) = change.evals
    assert eval_change.kind is ChangeKind.CHANGED
    assert sorted(eval_change.parts) == sorted(set(parts.values()))
    assert f"| changed: {', '.join(eval_change.parts)} |" in write_comment(change)
    assert "nothing that the site shows" not in write_headline(change)


def test_evals_with_graders_in_typescript_are_described(scratch: Scratch) -> None:
    """A suite without guidelines and `eval.toml` has no fault for that."""
    run_git(scratch.root, "checkout", "--quiet", "main")
    shutil.rmtree(scratch.evals)
    for path, text in {
        "TASK.txt": "Write it.\n",
        "grader.test.ts": 'import { test } from "vitest";\n',
        "answer/package.json": "{}\n",
    }.items():
        scratch.write(f"evals/{NEW_EVAL}/{path}", text)
    scratch.commit()
    run_git(scratch.root, "checkout", "--quiet", "-B", "head")
    scratch.append(f"evals/{NEW_EVAL}/grader.test.ts", "// more\n")
    scratch.write(f"evals/{NEW_EVAL}/eval.json", '{"pipeline": "static"}\n')

    change = scratch.describe()

    (eval_change,) = change.evals
    assert sorted(eval_change.parts) == ["configuration", "grader"]
    assert eval_change.title == "New"
    assert "cannot be read" not in write_comment(change)
    assert "missing" not in write_comment(change)


def test_a_grader_makes_verdicts_stale(scratch: Scratch) -> None:
    """Stale verdicts are counted, and the mint of the new version grades them again."""
    scratch.append(f"evals/{EVAL}/grader.py", "\n# Changed.\n")
    change = scratch.describe()
    assert write_headline(change) == "Merging: 1 eval changed; 1 published verdict stale."
    text = write_comment(change)
    assert "`leaderboard suite mint --why TEXT` grades 1 stale verdict again" in text


def test_verdicts_that_cannot_be_graded_again(scratch: Scratch) -> None:
    """Answers to another list of evals are answers to other questions."""
    scratch.append(f"evals/{EVAL}/grader.py", "\n# Changed.\n")
    shutil.copytree(scratch.evals / EVAL, scratch.evals / NEW_EVAL)
    text = write_comment(scratch.describe())
    assert "1 stale verdict cannot be graded again" in text
    assert "--why TEXT" not in text


def test_pinned_packages_may_make_every_verdict_stale(scratch: Scratch) -> None:
    """The number is an upper bound, because some verdicts may be stale already."""
    package = json.loads((scratch.evals / "package.json").read_text("utf-8"))
    package["dependencies"]["convex"] = "9.9.9"
    scratch.write("evals/package.json", json.dumps(package))
    change = scratch.describe()
    assert "up to 3 published verdicts stale" in write_headline(change)
    assert "All verdicts depend on `evals/package.json`" in write_comment(change)


def test_a_change_of_the_program_beside_it_is_reported(scratch: Scratch) -> None:
    """The program of the branch may compute another version than the running program."""
    scratch.append(f"evals/{EVAL}/TASK.txt", "More.\n")
    words = "computed by the program as it is here"
    assert words not in write_comment(scratch.describe())
    scratch.write("runner/answers/prompt.py", "SYSTEM = 1\n")
    run_git(scratch.root, "add", "runner")
    assert words in write_comment(scratch.describe())


def test_a_version_is_minted(scratch: Scratch) -> None:
    """The change itself mints the version; a definition that differs from the suite is reported."""
    shutil.copytree(scratch.evals / EVAL, scratch.evals / NEW_EVAL)
    minted = mint(discover(scratch.evals), scratch.data)
    change = scratch.describe()
    assert "1 benchmark version defined" in write_headline(change)
    assert f"becomes benchmark version `{minted.version}`" in write_comment(change)
    assert "This change mints it." in write_comment(change)
    path = scratch.data.benchmarks.get_file(minted.version)
    forged = json.loads(path.read_text("utf-8"))
    forged["evals"][EVAL]["grader"] = "0" * 64
    scratch.write(path.relative_to(scratch.root).as_posix(), json.dumps(forged))
    change = scratch.describe()
    assert [file.reason for file in change.unread] == ["is not the definition that the suite gives"]
    assert "mints it" not in write_comment(change)


def test_a_part_of_a_run_by_a_changed_program(scratch: Scratch) -> None:
    """A reviewer sees at once that it is no whole run, and that its archive is missing."""
    whole = scratch.run("b", slug="maker/other")
    attempts = tuple(
        attempt.model_copy(update={"artifact": examples.make_digest()})
        for attempt in whole.attempts[:2]
    )
    harness = whole.harness and whole.harness.model_copy(
        update={"git_commit": "c" * 40 + "+changes"}
    )
    part = examples.with_attempts(whole, attempts, planned=whole.planned[:2], harness=harness)
    scratch.publish(part)
    text = write_comment(scratch.describe())
    assert "| 2 of 3 |" in text
    assert "| changed program |" in text
    assert "The archive is missing of `bbbbbbbb`." in text


def test_a_run_is_repeated(scratch: Scratch) -> None:
    """Flips against the run before it are listed in a fold."""
    later = scratch.run("b", passed=0).model_copy(update={"started_at": None})
    scratch.publish(later)
    change = scratch.describe()
    text = write_comment(change)
    assert "| repeated | all 3 | 0 | 3 | 0 |" in text
    assert "0 evals fixed, 2 broken of 3: too few evals to show any difference." in text
    assert "<details><summary>Verdicts that flipped, and other differences</summary>" in text
    assert text.count("<details>") == text.count("</details>")


def test_guidelines_about_a_held_out_eval_are_refused(scratch: Scratch) -> None:
    """The comment names the eval and the words; other changes of the text are no fault."""
    config = f"evals/{EVAL}/eval.toml"
    scratch.write(config, f"held_out = true\n{(scratch.root / config).read_text('utf-8')}")
    scratch.append(f"evals/{EVAL}/TASK.txt", "Number the lanes from the left.\n")
    scratch.append("evals/guidelines.md", "\n## Shapes\n\nGive every table its shape.\n")
    assert "Refused" not in write_comment(scratch.describe())
    scratch.append("evals/guidelines.md", "\nNumber the lanes from the right.\n")
    change = scratch.describe()
    assert "refused, as the guidelines are about held-out evals" in write_headline(change)
    comment = write_comment(change)
    assert "number the lanes from the" in comment


@pytest.mark.more
def test_the_links_of_a_comment_lead_to_pages(scratch: Scratch, tmp_path: Path) -> None:
    """Evals, runs, attempts, models, reports and sections are at the addresses of the site."""
    run = scratch.run("b", passed=0)
    scratch.publish(run)
    scratch.report(run)
    scratch.append(f"evals/{EVAL}/TASK.txt", "More.\n")
    scratch.append("evals/guidelines.md", "\n## Shapes\n\nGive every table its shape.\n")
    links = re.findall(rf"\({PREVIEW}(/[^)]*)\)", write_comment(scratch.describe()))
    assert {link.split("/")[1] for link in links} >= {"evals", "runs", "models", "reports"}
    site = tmp_path / "site"
    folders = ("--data", scratch.data.root, "--evals", scratch.evals)
    run_command("build", *folders, "--out", site, code=0)
    (site / "comment.html").write_text("".join(f'<a href="{link}">x</a>' for link in links))
    assert_no_broken_link(site)


def test_evals_reports_and_records_are_removed(scratch: Scratch) -> None:
    """What is removed has no link; a removed record is gone, and not withdrawn."""
    shutil.rmtree(scratch.evals / EVAL)
    (report,) = scratch.data.list_report_files()
    report.unlink()
    change = scratch.describe()
    headline = "Merging: 1 eval changed; 1 published verdict stale; 1 report changed."
    assert write_headline(change) == headline
    text = write_comment(change)
    assert f"| `{EVAL}` | removed |  |  | 1 |" in text
    assert "| removed | final | 1 of 1 |" in text
    (record,) = scratch.data.list_run_files()
    record.unlink()
    change = scratch.describe()
    assert "1 record removed" in write_headline(change)
    assert "**Records that are gone**" in write_comment(change)


def test_an_empty_table_has_its_sentence_only_then(scratch: Scratch) -> None:
    """The sentence is there for a README in the suite, but not if a template changes, too."""
    scratch.append("evals/README.md", "More.\n")
    change = scratch.describe()
    assert (
        write_headline(change)
        == "Merging: 1 other file changed; nothing that the site shows changes."
    )
    scratch.write("site_templates/a.html", "x")
    run_git(scratch.root, "add", "site_templates")
    assert "nothing that the site shows" not in write_headline(scratch.describe())


def test_nothing_below_data_and_evals(scratch: Scratch) -> None:
    """The comment is then removed: the script decides it by the number of files."""
    scratch.write("docs/a.md", "x")
    run_git(scratch.root, "add", "docs")
    change = scratch.describe()
    assert change.files == 0
    assert "no published result and no report changed" in write_headline(change)


def test_later_commits_of_the_base_are_no_change_of_the_branch(scratch: Scratch) -> None:
    """A merge keeps the new eval; a comparison of the two ends would report a removal."""
    scratch.append(f"evals/{EVAL}/grader.py", "\n# Changed.\n")
    scratch.commit()
    run_git(scratch.root, "checkout", "--quiet", "main")
    shutil.copytree(scratch.evals / EVAL, scratch.evals / NEW_EVAL)
    scratch.commit()
    run_git(scratch.root, "checkout", "--quiet", "head")
    change = scratch.describe()
    assert [evaluation.name for evaluation in change.evals] == [EVAL]
    assert change.note is None


def test_a_conflict_is_reported(scratch: Scratch) -> None:
    """The branch is compared with the commit at which it began."""
    scratch.write("data/models.toml", "schema_version = 1\nmodels = []\n")
    scratch.commit()
    run_git(scratch.root, "checkout", "--quiet", "main")
    scratch.append("data/models.toml", "\n[[models]]\n")
    scratch.commit()
    run_git(scratch.root, "checkout", "--quiet", "head")
    change = scratch.describe()
    assert change.note is not None
    assert "not possible without conflicts" in write_comment(change)
    assert [model.kind for model in change.models] == [ChangeKind.REMOVED, ChangeKind.REMOVED]
    assert not write_headline(change).startswith("Merging")


def test_the_site_is_made_of_the_files_that_netlify_looks_at() -> None:
    """The comment and netlify decide by the same paths whether a change is visible."""
    script = (ROOT / "scripts" / "netlify-ignore").read_text("utf-8").replace("\\\n", " ")
    (listed,) = re.findall(r"git diff --quiet .* -- (.*)", script)
    assert set(listed.split()) == set(SITE_PATHS)


def test_results_of_the_other_job_are_labelled(scratch: Scratch, tmp_path: Path) -> None:
    """They are numbers only, and named as the pull request's own."""
    scratch.append(f"evals/{EVAL}/grader.py", "\n# Changed.\n")
    rows = [
        {"eval": EVAL, "answer": answer, "holds": holds, "left_out": False, "problems": ["@team"]}
        for answer, holds in (("reference", True), ("baseline/empty", True), ("fail/a", False))
    ]
    checks = tmp_path / "suite-check.json"
    checks.write_text(json.dumps(rows))
    text = write_comment(scratch.describe(checks))
    assert "suite check, as computed by this pull request" in text
    assert "| 2 right, 1 wrong |" in text
    assert "team" not in text
