"""Evals that give an app: the prompt has it, and answers change it by the stated rules."""

from pathlib import Path

import pytest

from records.suites.canary import GUID, LINE
from records.suites.given_app import MARKER, build_apps, is_deletion
from runner.answers.prompt import render_prompt
from runner.answers.reply import parse_reply, render_reply
from runner.answers.rules import ChangeRules
from runner.answers.stub import stub_answer
from runner.errors import InvalidEvalError, UnusableReplyError
from runner.evals.discovery import Eval, discover
from runner.grading.grade import compute_grader_digest
from runner.models.baselines import make_reply
from runner.suite.lint import lint
from runner.suite.mint import make_benchmark
from runner.suite.mutate.mutant_grading import make_mutants
from runner.suite.new import make_eval
from tests.support.texts import write_files

pytestmark = pytest.mark.unit

GIVEN = {
    "package.json": '{ "name": "dams" }\n',
    "convex/dams.ts": f"// {LINE}\nexport const first = 1;\n",
    "convex/weirs.ts": f"// {LINE}\nexport const second = 2;\n",
}
SHOWN = {path: text.partition("\n")[2] if GUID in text else text for path, text in GIVEN.items()}


@pytest.fixture
def root(root: Path) -> Path:
    """Return a suite with an eval that gives an app."""
    given = make_eval(root, "mutations", "dams", has_given=True) / "given"
    write_files(given, GIVEN)
    (given / "convex/example.ts").unlink()
    return root


def read_dams(root: Path) -> Eval:
    """Read that eval."""
    return discover(root).select("dams", ())[0]


@pytest.mark.parametrize(
    ("text", "deletes"),
    [
        (f"{MARKER}\n", True),
        (f"\n// {MARKER}", True),
        (f"/* {MARKER} */\n", True),
        (f"// {LINE}\n{MARKER}\n", True),
        (f"{MARKER}\nexport {{}};\n", False),
        (f"// do not {MARKER}\n", False),
        ("", False),
    ],
)
def test_only_the_marker_alone_deletes(text: str, *, deletes: bool) -> None:
    """A file with other text, or without text, is a file."""
    assert is_deletion(text) is deletes


def test_each_step_changes_the_step_before() -> None:
    """The last step is the answer; files that no step names stay."""
    changes = {"step1/a.ts": "1", "step1/b.ts": "2", "step2/a.ts": MARKER, "step2/c.ts": "3"}
    assert build_apps({"a.ts": "0", "k.ts": "k"}, changes, 2) == {
        "given": {"a.ts": "0", "k.ts": "k"},
        "step1": {"a.ts": "1", "b.ts": "2", "k.ts": "k"},
        "step2": {"b.ts": "2", "c.ts": "3", "k.ts": "k"},
        "answer": {"b.ts": "2", "c.ts": "3", "k.ts": "k"},
    }
    assert build_apps({}, {"b": MARKER, "a": "1"}, 0) == {"answer": {"b": MARKER, "a": "1"}}


def test_the_prompt_has_the_app_and_the_rule(root: Path) -> None:
    """The files stand without canary before the task; other prompts do not speak of changes."""
    prompt = render_prompt(read_dams(root), None)[1]["content"]
    shown = prompt.partition("# The given app")[2].partition("# Task")[0]
    assert parse_reply(f"# Files\n{shown}").files == SHOWN
    assert GUID not in prompt
    assert f"`{MARKER}`" in prompt
    assert "for each file that you add or change, write" in " ".join(prompt.split())
    assert "is required. These packages" not in prompt
    other = render_prompt(discover(root).evals[0], None)[1]["content"]
    assert MARKER not in other
    assert "`package.json` is required." in other


def test_a_prompt_tells_of_steps(root: Path) -> None:
    """An eval with steps names their folders; without a given app it is refused."""
    folder = read_dams(root).folder
    config = folder / "eval.toml"
    config.write_text(config.read_text().replace("guidelines =", "steps = 3\nguidelines ="))
    assert "in at most 3 deploys" in render_prompt(read_dams(root), None)[1]["content"]
    (folder / "given").rename(folder / "elsewhere")
    write_files(folder, {"answer/package.json": "{}"})
    with pytest.raises(InvalidEvalError, match="there is no given/ to change"):
        discover(root)


def test_a_reply_that_repeats_the_app_is_read_by_its_answer(root: Path) -> None:
    """The given files in a repeated prompt are no answer."""
    dams = read_dams(root)
    echo = render_prompt(dams, None)[1]["content"]
    rules = ChangeRules(dams.read_given(), 0)
    reply = f"{echo}\n{make_reply('baseline/oracle', dams)}"
    assert parse_reply(reply, rules).files == dams.read_answer()


def test_the_app_after_the_changes_keeps_the_rules() -> None:
    """A change that is right alone may be wrong beside a given file."""
    rules = ChangeRules(SHOWN, 0)
    twin = {"convex/dams.js": "export {};\n"}
    with pytest.raises(UnusableReplyError, match="differ only in their endings"):
        parse_reply(render_reply(twin), rules)
    moved = {**twin, "convex/dams.ts": f"{MARKER}\n"}
    assert parse_reply(render_reply(moved), rules).files == moved


def test_files_outside_of_steps_are_left_out() -> None:
    """With steps, each file of an answer is in the folder of one."""
    rules = ChangeRules(SHOWN, 2)
    answer = {
        "step1/convex/a.ts": "1\n",
        "step2/package.json": "{}\n",
        "step3/convex/a.ts": "2\n",
        "convex/a.ts": "3\n",
        "step1/notes/a.ts": "4\n",
        "step1/convex/a.py": "5\n",
    }
    admitted = parse_reply(render_reply(answer), rules)
    assert list(admitted.files) == ["step1/convex/a.ts", "step2/package.json"]
    assert [note.partition(": ")[0] for note in admitted.notes] == [
        f"{path} is left out" for path in list(answer)[2:]
    ]


def test_variants_may_change_given_files(root: Path) -> None:
    """A diff is against the reference, or against a given file that the reference leaves."""
    dams = read_dams(root)
    toml = dams.folder / "calibration/calibration.toml"
    toml.write_text(
        '[fail.other]\nreason = "x"\nstep = "deploy"\ndiff."convex/weirs.ts" = """\n'
        '-export const second = 2;\n+export const second = 3;\n"""\n'
    )
    (dams.folder / "calibration/pass").rename(dams.folder / "calibration/old")
    (variant,) = dams.load_calibrations()
    assert variant.files["convex/weirs.ts"] == "export const second = 3;\n"
    assert set(variant.files) == {*dams.read_answer(), "convex/weirs.ts"}


def test_the_version_and_verdicts_depend_on_the_given_app(root: Path) -> None:
    """A changed given file changes the digests of task and grader; its canary does not."""
    before = make_benchmark(discover(root)).evals[read_dams(root).name]
    grader = compute_grader_digest(read_dams(root))
    given = read_dams(root).folder / "given"
    write_files(given, SHOWN)
    assert make_benchmark(discover(root)).evals[read_dams(root).name] == before
    write_files(given, {"convex/weirs.ts": "export const second = 4;\n"})
    after = make_benchmark(discover(root)).evals[read_dams(root).name]
    assert (after.task != before.task, after.grader) == (True, before.grader)
    assert compute_grader_digest(read_dams(root)) != grader


@pytest.mark.parametrize(
    ("path", "text", "advice"),
    [
        ("given/notes/a.ts", f"// {LINE}\n", "only package.json and files under convex/"),
        ("given/convex/a.js", f"// {LINE}\n", "differ only in their endings"),
        ("given/convex/b.txt", "x" * 100_001, "100,000 bytes are allowed"),
        ("answer/convex/weirs.ts", GIVEN["convex/weirs.ts"], "repeats the given file"),
    ],
)
def test_lint_finds_faults_of_given_apps(root: Path, path: str, text: str, advice: str) -> None:
    """Each file of a given app could be one of an answer, and none is repeated."""
    folder = read_dams(root).folder
    write_files(folder, {"given/convex/a.ts": f"// {LINE}\nexport {{}};\n"})
    found = [each for each in lint(discover(root), [read_dams(root)]) if each.rule == "given"]
    assert found == []
    write_files(folder, {path: text})
    found = [each for each in lint(discover(root), [read_dams(root)]) if each.rule == "given"]
    assert [advice in each.advice for each in found] == [True]


def test_given_and_blind_files_carry_the_canary(root: Path) -> None:
    """Lint names those that do not; a blind answer changes no prompt and no version."""
    folder, before = read_dams(root).folder, make_benchmark(discover(root)).version
    write_files(folder / "given", {"convex/weirs.ts": SHOWN["convex/weirs.ts"]})
    write_files(folder / "blind/1", {"convex/dams.ts": "export {};\n"})
    found = lint(discover(root), [read_dams(root)])
    assert {each.file for each in found if each.rule == "canary"} == {
        "given/convex/weirs.ts",
        "blind/1/convex/dams.ts",
    }
    assert make_benchmark(discover(root)).version == before


def test_stubs_and_mutants_leave_deletions_alone() -> None:
    """A stub of a step has the functions of the step; a marker is neither code nor a mistake."""
    functions = 'import { query } from "./_generated/server";\nexport const all = query({});\n'
    answer = {"step1/convex/a.ts": functions, "step2/convex/a.ts": f"// {LINE}\n// {MARKER}\n"}
    stub = stub_answer(answer)
    assert stub["step2/convex/a.ts"] == answer["step2/convex/a.ts"]
    assert "query({ args: v.any()" in stub["step1/convex/a.ts"]
    assert {mutant.path for mutant in make_mutants(answer)} <= {"step1/convex/a.ts"}
