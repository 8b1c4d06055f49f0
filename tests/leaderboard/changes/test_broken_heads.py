"""A broken or hostile head: its files are named with the reason, and no text is active."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from leaderboard.changes import revisions
from leaderboard.changes.description import compare_revisions
from leaderboard.changes.suites import read_check_results
from tests.github.hosting import PREVIEW
from tests.leaderboard.changes.scratch import EVAL, Scratch, write_comment, write_headline
from tests.support.git import run_git

pytestmark = pytest.mark.integration

RUN = f"data/runs/openai/gpt-example/{'a' * 32}.json"
HARM = (
    '@team `@team` ``` | <img src=//evil.test/p> <a href="//evil.test">x</a> </details> '
    "![x](//evil.test) [here](//evil.test) [r]: //evil.test https&#58;//evil.test www.evil.test "
    "other/repo#12 GH-12 a1b2c3d4e5f6a7b8 <!-- x --> \u202e\u200b#1"
)


def assert_inert(text: str) -> None:
    """Check that a comment has no active elements but tables, folds and links to the preview."""
    _, _, body = text.partition("\n")
    page = LexborHTMLParser(MarkdownIt("gfm-like").render(body))
    links = [link.attributes["href"] or "" for link in page.css("a")]
    assert [link for link in links if not link.startswith(f"{PREVIEW}/")] == []
    assert page.css("img, script, iframe, input, form, del") == []
    assert text.count("<details>") == text.count("</details>") == text.count("<summary>")
    assert "@" not in text
    assert text.count("<!--") == 1
    for code in page.css("code"):
        code.decompose()
    prose = page.body.text() if page.body else ""
    assert not [sign for sign in ("#1", "GH-", "a1b2c3d4", "evil") if sign in prose]


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("data/models.toml", b"models = [", "not TOML"),
        ("data/models.toml", b"\xff\xfe", "not UTF-8"),
        ("data/models.toml", b'schema_version = 1\n[[models]]\nslug = "a/b"\n', "models[a/b].name"),
        ("data/models.toml", b"#" * (revisions.LARGEST_TEXT + 1), "is larger than 262144 bytes"),
        (RUN, b"{", "JSON"),
        (RUN, b'{"schema_version": 3, "run_id": 5}', "run_id"),
        (RUN, b"[" * 100_000, "recursion"),
        (f"data/runs/openai/gpt-example/{'c' * 32}.json", b"", "JSON"),
        ("data/reports/openai/gpt-example/aaaaaaaa_2026-11-21.md", b"# No front matter", "---"),
        ("data/benchmarks/0123456789ab.json", b'{"schema_version": 1}', "version"),
        ("evals/guidelines.md", b"\xff", "not UTF-8"),
        (
            "evals/guidelines.md",
            b"## Twice\n\na\n\n## Twice\n\nb\n",
            "two sections are called twice",
        ),
        (f"evals/{EVAL}/eval.toml", b"title = ", "is not TOML"),
        (f"evals/{EVAL}/eval.toml", b'title = "T"\n', "concept"),
        (f"evals/{EVAL}/eval.toml", b"a = " + b"[" * 5_000, "is not TOML"),
        (f"evals/{EVAL}/TASK.txt", b"\xff", "not UTF-8"),
        (f"evals/{EVAL}/TASK.txt", b"", "is empty"),
        (f"evals/{EVAL}/grader.py", b"\xff", "not UTF-8"),
        (f"evals/{EVAL}/answer/convex/a.ts", b"\xff", "not UTF-8"),
        (f"evals/{EVAL}/calibration/calibration.toml", b"[pass", "is not TOML"),
        (
            f"evals/{EVAL}/calibration/calibration.toml",
            b'[pass.a]\nreason = "r"\n',
            "changes nothing",
        ),
        ("evals/000-fundamentals/Wrong Name/TASK.txt", b"Task.", "named with three digits"),
        ("evals/000-fundamentals/000-again/TASK.txt", b"Task.", "missing"),
        ("evals/guidelines.tokens.json", b"{", "JSON"),
        ("evals/package.json", b"{", "package.json"),
    ],
)
def test_a_broken_file_is_named_with_its_reason(
    scratch: Scratch, path: str, content: bytes, reason: str
) -> None:
    """The description goes on without it, and its first line does not hide that."""
    scratch.write(path, content)
    if path.endswith("tokens.json"):
        scratch.append("evals/guidelines.md", "\nMore.\n")
    change = scratch.describe()
    text = write_comment(change)
    assert_inert(text)
    folder = "/".join(path.split("/")[:3])
    matches = [file for file in change.unread if file.path == path or file.path.startswith(folder)]
    assert any(reason in f"{file.path} {file.reason}" for file in matches), change.unread
    assert "cannot be used, so a part of the changes is not known" in write_headline(change).lower()
    assert "**Files that cannot be used**" in text
    assert not any(
        str(scratch.root) in file.reason or "leaderboard-diff-" in file.reason for file in matches
    )


@pytest.mark.parametrize(
    "path",
    [
        RUN,
        "data/reports/openai/gpt-example/aaaaaaaa_2026-11-21.md",
        "evals/guidelines.md",
        f"evals/{EVAL}/TASK.txt",
        f"evals/{EVAL}/grader.py",
    ],
)
def test_a_broken_file_is_no_removed_one(scratch: Scratch, path: str) -> None:
    """A broken file moves no rank, removes no record, and puts no fault on its neighbours."""
    scratch.write(path, b"\xff")
    change = scratch.describe()
    assert {file.path for file in change.unread} == {path}
    assert (change.data.removed, change.data.gone, change.data.moved) == ([], [], [])
    assert change.data.reports == []
    assert "remove" not in write_headline(change)


def test_guidelines_that_are_gone_are_named(scratch: Scratch) -> None:
    """They are named once, and not at every eval that exercises a section of them."""
    (scratch.root / "evals/guidelines.md").unlink()
    (unread,) = scratch.describe().unread
    assert (unread.path, unread.reason.partition(":")[0]) == ("evals/guidelines.md", "missing")


def test_a_record_at_another_place_changes_no_score(scratch: Scratch) -> None:
    """A second file that claims to be a known run does not stand for it."""
    record = (scratch.root / RUN).read_bytes()
    scratch.write(f"data/runs/openai/gpt-other/{'a' * 32}.json", record)
    scratch.write(f"data/runs/openai/gpt-example/{'b' * 32}.json", record)
    change = scratch.describe()
    assert change.data.runs == []
    assert {file.reason for file in change.unread} == {f"belongs to {RUN} by its content"}


def test_links_and_strange_names_are_not_followed(scratch: Scratch, tmp_path: Path) -> None:
    """A link would otherwise put a file of this machine into a comment."""
    secret = tmp_path / "secret"
    secret.write_text("SECRET-OF-THIS-MACHINE")
    for path in (f"evals/{EVAL}/TASK.txt", "data/models.toml", RUN):
        (scratch.root / path).unlink()
        (scratch.root / path).symlink_to(secret)
    (scratch.root / "data" / "reports" / "linked").symlink_to(tmp_path)
    (scratch.root / "evals" / "000-fundamentals" / "005-linked").symlink_to(tmp_path)
    change = scratch.describe()
    text = write_comment(change)
    linked = [file.path for file in change.unread if file.reason.startswith("is a symbolic link")]
    assert {f"evals/{EVAL}/TASK.txt", "data/models.toml", "data/reports/linked"} <= set(linked)
    assert "SECRET" not in text + json.dumps([file.reason for file in change.unread])


def test_another_repository_inside_is_not_read(scratch: Scratch) -> None:
    """A submodule is not read as a file."""
    commit = run_git(scratch.root, "rev-parse", "HEAD")
    scratch.commit()
    cache = f"160000,{commit},evals/000-fundamentals/007-inner"
    run_git(scratch.root, "update-index", "--add", "--cacheinfo", cache)
    run_git(scratch.root, "commit", "--quiet", "--message", "submodule")
    change = compare_revisions("main", "head", scratch.data.root, scratch.evals, merge=True)
    assert [file.reason for file in change.unread] == ["is not a plain file"]


def test_nothing_of_the_head_is_executed(scratch: Scratch, tmp_path: Path) -> None:
    """Graders of the head are not executed, nor hooks, nor filters that its attributes name."""
    mark = tmp_path / "mark"
    harm = tmp_path / "harm"
    harm.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    harm.chmod(0o755)
    hooks = scratch.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "post-index-change", "post-merge"):
        shutil.copy(harm, hooks / hook)
    program = f"import pathlib; pathlib.Path({str(mark)!r}).touch()\n"
    for name in ("grader.py", "check_a.py", "conftest.py", "__init__.py"):
        scratch.write(f"evals/{EVAL}/{name}", program)
    for folder in ("evals", "data", "data/runs"):
        scratch.write(
            f"{folder}/.gitattributes", "* filter=evil merge=evil diff=evil text eol=crlf\n"
        )
    scratch.write("evals/sitecustomize.py", program)
    scratch.commit()
    for kind in ("filter.evil.smudge", "filter.evil.process", "diff.evil.command"):
        run_git(scratch.root, "config", kind, str(harm))
    mark.unlink(missing_ok=True)
    change = compare_revisions("main", "head", scratch.data.root, scratch.evals, merge=True)
    assert not mark.exists()
    assert [file for file in change.unread if "gitattributes" not in file.path] == []


def test_a_killed_command_leaves_nothing_that_lasts(scratch: Scratch) -> None:
    """The next comparison removes the folder; nothing stays in the repository, as in a worktree."""
    scratch.append("evals/README.md", "More.\n")
    scratch.commit()
    before = sorted(scratch.root.joinpath(".git").rglob("*"))
    temporary = scratch.root.parent / "temporary"
    temporary.mkdir()
    code = (
        "import os, signal, sys; from leaderboard.changes import records; "
        "records.read_state = lambda *_: os.kill(os.getpid(), signal.SIGKILL); "
        "from leaderboard.cli import main; main()"
    )
    environment = os.environ | {"TMPDIR": str(temporary)}
    command = [sys.executable, "-c", code, "diff", "main", "head", "--data", "data"]
    killed = subprocess.run(command, cwd=scratch.root, env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert list(temporary.glob("convex-leaderboard-diff-*/after/evals/README.md"))
    command = [sys.executable, "-m", "leaderboard", "diff", "main", "head", "--data", "data"]
    subprocess.run(command, cwd=scratch.root, env=environment, check=True, capture_output=True)
    assert list(temporary.glob("convex-leaderboard-diff-*")) == []
    assert sorted(scratch.root.joinpath(".git").rglob("*")) == before


def test_harm_in_every_text_of_a_head_does_nothing(scratch: Scratch) -> None:
    """Hostile names of files, models, fields, reasons and titles have no effect."""
    name = HARM.replace("/", "_").replace("\u200b", "")[:120]
    for folder in ("data", "evals", f"evals/{EVAL}/answer", "data/runs/openai/gpt-example"):
        scratch.write(f"{folder}/{name}", "x")
    quoted = json.dumps(HARM.replace("\u202e\u200b", ""))
    text = (scratch.root / "data/models.toml").read_text("utf-8")
    scratch.write("data/models.toml", text.replace('"Other"', quoted))
    scratch.write(f"evals/{EVAL}/eval.toml", f"title = {quoted}\n{quoted} = 1\n")
    scratch.append("evals/guidelines.md", f"\n## {HARM}\n\n{HARM}\n")
    run = json.loads((scratch.root / RUN).read_text("utf-8"))
    run["withdrawn"] = {"by": HARM, "reason": HARM}
    scratch.write(RUN, json.dumps(run))
    change = scratch.describe()
    assert len(change.other) >= 2
    assert_inert(write_comment(change))


def test_harm_in_every_text_of_a_run_does_nothing(scratch: Scratch) -> None:
    """Hostile reasons, parameters, tools and notes have no effect in tables of what differs."""
    run = scratch.run("b", passed=0)
    attempts = tuple(attempt.model_copy(update={"reason": HARM * 20}) for attempt in run.attempts)
    model = run.model.model_copy(update={"name": HARM[:60], "parameters": {HARM: HARM * 100}})
    harness = run.harness and run.harness.model_copy(update={"toolchain": {"node": HARM * 9}})
    scratch.publish(
        run.model_copy(update={"attempts": attempts, "model": model, "harness": harness})
    )
    text = write_comment(scratch.describe())
    assert_inert(text)
    titles = LexborHTMLParser(MarkdownIt("gfm-like").render(text)).css("details > summary")
    assert [title.text() for title in titles] == ["Verdicts that flipped, and other differences"]
    assert text.count("| broken |") == 2


@settings(
    max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(text=st.text(min_size=1, max_size=60))
def test_no_text_of_a_head_reaches_the_comment_outside_of_code(scratch: Scratch, text: str) -> None:
    """Any text stays inside of code, as a value, a reason and the name of a file."""
    value = json.dumps(text.encode("utf-8", "replace").decode())
    scratch.write("data/models.toml", f"schema_version = 1\nmodels = []\nx = {value}\n")
    run = json.loads((scratch.root / RUN).read_text("utf-8"))
    run["withdrawn"] = {
        "by": f"{HARM[:9]}{text}",
        "reason": text.encode("utf-8", "replace").decode(),
    }
    scratch.write(RUN, json.dumps(run))
    name = "".join(sign for sign in text if sign not in "/\0" and not "\ud800" <= sign <= "\udfff")
    scratch.write(f"data/x{name[:40]}", "x")
    assert_inert(write_comment(scratch.describe()))


def test_a_thousand_changes_are_folded_and_counted(scratch: Scratch) -> None:
    """The comment is below GitHub's limit, counts the rest, and has about a screen unfolded."""
    for number in range(1_000):
        scratch.write(f"data/x/{number:04}-{'long' * 40}", "x")
    for number in range(60):
        scratch.write(f"evals/000-fundamentals/{100 + number}-x/TASK.txt", "Task.\n")
    text = write_comment(scratch.describe())
    assert len(text) < 65_536
    assert "… and 960 more" in text
    assert "… and 20 more" in text
    opened = text
    while "<details>" in opened:
        before, _, after = opened.partition("<details>")
        opened = before + after.partition("</details>")[2]
    assert len(opened.splitlines()) < 40


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[" * 100_000,
        b'[{"eval": "@team"}]',
        b'[{"eval": "a", "answer": "reference", "holds": 1, "left_out": false}]',
        b'[{"eval": "a", "answer": "@team", "holds": true, "left_out": false}]',
        b'[{"eval": "a", "answer": "fail/x\\n", "holds": true, "left_out": false}]',
        b'[{"eval": "b", "answer": "reference", "holds": true, "left_out": false}]',
        b"["
        + b'{"eval": "a", "answer": "reference", "holds": true, "left_out": false},' * 2
        + b"1]",
        b"[" + b"1," * 200_000 + b"1]",
        b" " * 5_000_000,
        b"\xff",
    ],
)
def test_results_of_another_form_count_for_nothing(tmp_path: Path, content: bytes) -> None:
    """Results of a wrong form are dropped, and the reason is a sentence of this program."""
    path = tmp_path / "suite-check.json"
    path.write_bytes(content)
    results = read_check_results(path, {"a"})
    assert results.evals == {}
    assert results.fault is not None
    assert results.fault.startswith("the job of this pull request")
    assert os.fspath(path) not in results.fault
