"""The action for suites in repositories of their own: its shell, run over real revisions."""

import shlex
from pathlib import Path

import pytest
import yaml

from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.writer import write_run
from tests.github.machine import Machine, StepResult
from tests.records import examples
from tests.records.history import EVALS, commit, write_history
from tests.support import warm_command

pytestmark = pytest.mark.integration

ACTION = yaml.safe_load((warm_command.ROOT / "action.yml").read_text("utf-8"))
PYTHON = """\
#!/bin/sh
# `python -m venv FOLDER`, with a pip that installs nothing and the command in a warm child.
mkdir -p "$3/bin"
printf '#!/bin/sh\\nexit 0\\n' > "$3/bin/pip"
printf '#!/bin/sh\\nshift 2\\nexec {program} "$@"\\n' > "$3/bin/python"
chmod +x "$3/bin/pip" "$3/bin/python"
"""


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return the data of a repository: a passing run and a later failing run, with tags."""
    return write_history(tmp_path, ("a", "b"))


def run_action_shell(data: DataFolder, base: str, fail_on: str) -> tuple[StepResult, Path | None]:
    """Run the action's shell; return its result, and the folder that it names."""
    home = data.root.parents[1]
    programs = home / "programs"
    programs.mkdir()
    python = programs / "python"
    python.write_text(PYTHON.format(program=shlex.quote(str(warm_command.make_warm_program()))))
    python.chmod(0o755)
    variables = warm_command.make_command_environment()
    values = {"base": base, "fail-on": fail_on}
    inputs = {
        name: values.get(name, declaration.get("default"))
        for name, declaration in ACTION["inputs"].items()
    }
    machine = Machine(
        folder=data.root.parent,
        files=home / "files",
        environment=variables | {"PATH": f"{programs}:{variables['PATH']}"},
        use=lambda _, __: None,
        pass_fds=(warm_command.start_server().fileno(),),
        contexts={"inputs": inputs, "github": {"action_path": str(warm_command.ROOT)}},
    )
    outputs = {name: declaration["value"] for name, declaration in ACTION["outputs"].items()}
    *_, result = machine.run(ACTION["runs"])
    folder = machine.compute_job_outputs({"outputs": outputs})["folder"]
    return result, Path(folder) if folder else None


@pytest.mark.parametrize(
    ("base", "fail_on", "code"),
    [
        pytest.param("a", "", 0, marks=pytest.mark.more),
        pytest.param("b", "regression", 0, marks=pytest.mark.more),
        ("a", "regression", 1),
        pytest.param("a", "regresion", 2, marks=pytest.mark.more),
    ],
    ids=["never", "unchanged", "worse", "a word that is none"],
)
def test_the_step_ends_by_the_conclusion(
    data: DataFolder, base: str, fail_on: str, code: int
) -> None:
    """An unknown word for `fail-on` is an error; the comparison can be stored each time."""
    result, folder = run_action_shell(data, base, fail_on)
    assert result.code == code, result.printed
    assert folder is not None
    names = {"comparison.md", "comparison.json"}
    assert {path.name for path in folder.iterdir()} == names
    if code == 2:
        assert "'regresion' is not 'regression'" in result.printed


def test_a_head_that_cannot_be_read_is_no_success(data: DataFolder) -> None:
    """The comparison is unknown: the step fails and names the file."""
    (path,) = (path for path in data.list_run_files() if path.stem.startswith("b"))
    path.write_text("{")
    commit(data, "broken")
    result, folder = run_action_shell(data, "a", "regression")
    assert result.code == 2, result.printed
    assert "not known whether HEAD is worse: data/runs/" in result.printed
    assert folder is not None
    assert "Files that cannot be used" in (folder / "comparison.md").read_text("utf-8")


def test_a_head_without_a_verdict_is_no_success(data: DataFolder) -> None:
    """A run whose attempts all failed by infrastructure is neither better nor worse."""
    run = examples.make_run("c" * 32, evals=EVALS)
    attempts = tuple(
        examples.make_attempt(name, outcome=Outcome.INFRASTRUCTURE) for name in run.planned
    )
    for path in data.list_run_files():
        if path.stem.startswith("b"):
            path.unlink()
    write_run(data, run.model_copy(update={"attempts": attempts}))
    commit(data, "unjudged")
    result, _ = run_action_shell(data, "a", "regression")
    assert result.code == 2, result.printed
    assert "no eval was judged on both sides" in result.printed
