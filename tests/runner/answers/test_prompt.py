"""A prompt has the format, the standards, the guidelines if any, the rules and the task."""

import json
from pathlib import Path

import pytest

from runner.answers.prompt import SYSTEM, frame_prompt, read_offered_packages, render_prompt
from runner.answers.reply import parse_reply
from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval, discover
from runner.evals.grader_kinds import PYTHON, VitestGraders
from runner.models.baselines import make_reply
from tests.runner.small_suite import GUIDELINES

pytestmark = pytest.mark.unit

PARTS = ["# Reply format", "# Coding standards", "# Guidelines", "# File rules", "# Task"]


def test_one_system_and_one_user_message(ponds: Eval) -> None:
    """The system message is the same for all; the user message has its parts in order."""
    system, user = render_prompt(ponds, GUIDELINES)
    assert system == {"role": "system", "content": SYSTEM}
    assert user["role"] == "user"
    positions = [user["content"].index(f"{part}\n") for part in PARTS]
    assert positions == sorted(positions)
    assert GUIDELINES.strip() in user["content"]
    assert user["content"].endswith("# Task\n\nWrite 000-ponds.\n")


def test_without_guidelines_the_rest_is_the_same(ponds: Eval) -> None:
    """The experiment without guidelines leaves them out, and nothing else."""
    prompt = render_prompt(ponds, GUIDELINES)[1]["content"]
    without = render_prompt(ponds, None)[1]["content"]
    assert prompt.replace(f"# Guidelines\n\n{GUIDELINES.strip()}\n\n", "") == without


def test_the_packages_that_may_be_used_are_named_with_their_versions(ponds: Eval) -> None:
    """The rules name the installed packages with the pins of the suite, and not our own tools."""
    rules = render_prompt(ponds, None)[1]["content"]
    assert "  - convex 1.0.0\n" in rules
    assert "  - @types/react-dom 1.0.0\n" in rules
    assert "eslint" not in rules


def test_rules_and_guidelines_name_the_list_of_packages() -> None:
    """Each package of the list that is installed stands in the rules and in the guidelines."""
    evals = Path(__file__).parents[3] / "evals"
    listed: list[str] = json.loads((evals / "admitted_packages.json").read_text("utf-8"))
    pins: dict[str, str] = json.loads((evals / "package.json").read_text("utf-8"))["dependencies"]
    installed = [name for name in listed if name in pins]
    assert "@convex-dev/workflow" in installed
    offered_versions = read_offered_packages(evals)
    assert [name for name in installed if offered_versions.get(name) != pins[name]] == []
    guidelines = discover(evals).guidelines
    section = guidelines.split("## components\n")[1].partition("\n## ")[0]
    short_names = {name.rpartition("/")[2] for name in installed}
    assert [name for name in sorted(short_names) if f"{name}`" not in section] == []


def test_the_example_of_the_format_is_in_the_format(ponds: Eval) -> None:
    """The parser reads the reply that the prompt shows."""
    example = render_prompt(ponds, None)[1]["content"].split("````")[1]
    assert parse_reply(example).files == {"package.json": "{ ... }\n", "convex/example.ts": "...\n"}


def test_a_reply_that_repeats_the_prompt_is_read_by_its_answer(ponds: Eval) -> None:
    """The answer is read from a reply that repeats the prompt first, and not its example."""
    echo = render_prompt(ponds, GUIDELINES)[1]["content"]
    assert (
        parse_reply(f"{echo}\n{make_reply('baseline/oracle', ponds)}").files == ponds.read_answer()
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "missing: it pins the packages for answers"),
        ("{", "is not a package.json"),
        ("[]", "is not a package.json"),
        ('{"dependencies": {"convex": "1"}}', "dependencies: 'react' is not pinned"),
        ("{}", "dependencies: 'dependencies' is not pinned"),
    ],
)
def test_pins_that_cannot_be_read_are_named(ponds: Eval, text: str | None, message: str) -> None:
    """A suite without its package.json is refused, because no honest prompt can be written."""
    path = ponds.folder.parents[1] / "package.json"
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(InvalidEvalError, match=message):
        render_prompt(ponds, None)


def test_the_method_shows_both_messages_word_for_word() -> None:
    """The method page has the current text that the suite sends, around guidelines and task."""
    root = Path(__file__).parents[3]
    method = (root / "docs" / "method.md").read_text("utf-8")
    system, user = frame_prompt(
        PYTHON, root / "evals", "(the text of the guidelines)", "(the text of the task)"
    )
    assert f"~~~~~ text\n{system}\n~~~~~" in method
    assert f"~~~~~ text\n{user.rstrip()}\n~~~~~" in method


def test_suites_in_typescript_may_be_answered_with_settings() -> None:
    """The prompt names the files that answers to them may have; other rules are the same."""
    root = Path(__file__).parents[3] / "evals"
    ours, others = (
        frame_prompt(kind, root, None, "t")[1] for kind in (PYTHON, VitestGraders(kit=None))
    )
    assert "`vitest.config.ts`" in others
    assert "every `tsconfig.json` are provided" in ours
    assert "every `tsconfig.json` are provided" not in others
    assert ours.partition("- An import names")[2] == others.partition("- An import names")[2]
