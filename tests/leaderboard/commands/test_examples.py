"""Every example of every command's help is run, in a project with the things that it names."""

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path

import click
import httpx
import pytest

from leaderboard.api.keys import KeyStore
from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.leaderboard.api.processes import ServerProcess
from tests.leaderboard.commanding import PATIENCE_S, serve_provider
from tests.leaderboard.commands import example_project
from tests.leaderboard.commands.listing import list_commands
from tests.leaderboard.suites.test_suite_import import STATIC, SUITE
from tests.support.sharing import make_once
from tests.support.warm_command import ROOT, WarmCommand, make_command_environment

pytestmark = pytest.mark.integration

NIGHT = frozenset(
    {
        *("", "demo", "run", "ablate", "regrade", "verify"),
        *("suite", "suite check", "suite grade", "suite import", "suite lint", "suite mutate"),
    }
)
"""Commands whose examples start graders."""

ELSEWHERE = {
    "leaderboard evals                      # the menu": "tests/leaderboard/evals/test_status.py",
    "leaderboard report jn7fgntk --classify": "tests/leaderboard/reports/test_report.py",
    # Its exit code is the verdict on an answer, which is wrong in the project.
    "leaderboard suite grade greenhouse_crons jn7fgntk:1 -k test_": (
        "tests/leaderboard/suites/test_grade.py"
    ),
    "leaderboard verify --backend local --evals SUITE   # compares both backends": (
        "tests/leaderboard/runs/test_compare_backends.py"
    ),
    "leaderboard suite grade my_eval my-answer -v --watch --evals ../our-suite": (
        "tests/leaderboard/suites/test_suite_import.py"
    ),
}
"""Examples that need a terminal and pressed keys, or end otherwise here, and their own tests."""


WITHOUT_JSON = {
    "demo": "it shows people what the parts do",
    "cluster certificates": "its output is the path of the file",
    "completion": "its output is a script",
    "export": "its output is the file",
    "serve": "it ends when it is stopped",
}
"""Commands without --json, each with the reason."""


COMMANDS = {name.removeprefix("leaderboard").strip(): command for name, command in list_commands()}
"""The commands by the words that a user types; the program's own name is empty."""
EXAMPLES = {
    name: example_project.split_examples(command.epilog) for name, command in COMMANDS.items()
}


@pytest.fixture(scope="module")
def address(
    tmp_path_factory: pytest.TempPathFactory, made: example_project.ExampleProject
) -> Iterator[str]:
    """The address of the provider of all examples, which answers everything alike."""
    port = int(made.ids["port"])
    with serve_provider(tmp_path_factory.mktemp("provider"), example_project.PROSE, port) as served:
        yield served


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> example_project.ExampleProject:
    """The project, made once; no test changes it."""
    return example_project.ExampleProject(
        make_once(tmp_path_factory, "examples", example_project.make_project) / "project"
    )


def write_values(project: example_project.ExampleProject, command: str) -> Mapping[str, str]:
    """Return the values of a test for words in the examples of a command."""
    ids = project.ids
    begun = ids["local" if command in {"publish", "send"} else "published"][:8]
    if command.startswith("session compar"):
        begun = next((path.stem for path in project.data.local.comparisons.list_files()), begun)
    if command in {"session judge", "session opinions"}:
        begun = next((path.stem for path in project.data.local.opinions.list_files()), begun)
    return {
        "4p2bzjf": begun,
        "4p2bzjf5m6ur": ids["session"],
        "9f2c": ids["session"],
        "jn7fgntk": ids["published"][:8],
        "jn741xc0": ids["baseline"][:8],
        "abcd2345": ids["ablation" if command == "ablate" else "unfinished"][:8],
        "bcde3456": ids["unfinished too"][:8],
        "3kq7zv2x": ids["damaged"][:8],
        "-m MODEL": "-m openai/gpt-5",
        "/tmp": str(project.folder),  # noqa: S108 - a word of examples
    }


def change_guidelines(project: example_project.ExampleProject) -> None:
    """Add a line to a section that an eval exercises."""
    text = project.folder / "evals" / "guidelines.md"
    lines = text.read_text().splitlines(keepends=True)
    at = next(
        number for number, line in enumerate(lines) if line.startswith("## ") and "crons" in line
    )
    text.write_text("".join([*lines[: at + 1], "\nName each job.\n", *lines[at + 1 :]]))


def leave_one_model(project: example_project.ExampleProject) -> None:
    """Remove the runs of all other models: two texts are compared if the same model got both."""
    for folder in (project.data, project.data.local):
        for path in [*folder.list_run_files()]:
            if read_run(path).model.slug != example_project.MODELS[1]:
                path.unlink()


def prepare_judging(project: example_project.ExampleProject, line: str) -> None:
    """Make a rubric and a tagged session, and opinions where the example names them."""
    (project.folder / "ours.md").write_text("Golden: nothing is missing.\n")
    project.call("session", "label", project.ids["session"], "--add", "auth")
    if "4p2bzjf" in line:
        project.call("session", "judge", "-m", example_project.MODELS[1])


def prepare_sessions(project: example_project.ExampleProject, command: str, line: str) -> None:
    """Make a version of a dataset, a published import, or a change to take back."""
    if command.startswith("session version") and "regression-1" in line and "create" not in line:
        project.call("session", "version", "create", "regression-1", project.ids["session"])
    if command == "session publish" and "--undo" in line:
        project.call("session", "import", "chats.jsonl")
        project.call("session", "publish", "--source", "chat", "--yes")
    if command == "session label" and "--undo" in line:
        project.call("session", "label", project.ids["session"], "--status", "correct")


def prepare_files(project: example_project.ExampleProject, command: str, line: str) -> None:
    """Copy a suite that is graded by vitest, or the demonstration; or damage a journal."""
    if command == "session":
        shutil.copytree(ROOT / "docs" / "demo", project.folder / "docs" / "demo")
    if command == "suite import":
        suite = project.folder.parent / "our-suite"
        shutil.copytree(SUITE / STATIC, suite / STATIC, dirs_exist_ok=True)
    if "--repair" in line:
        example_project.damage_journal(project.data.local, project.ids["damaged"])


def prepare(project: example_project.ExampleProject, command: str, line: str) -> None:
    """Make the records and files that an example needs and the project lacks."""
    if "--revoke" in line:
        project.call("keys", "create", "laptop")
    if "--before" in line or "old-guidelines.md" in line:
        change_guidelines(project)
    if "old-guidelines.md" in line:
        leave_one_model(project)
        project.run_anew("-m", example_project.MODELS[1])
    if command.startswith("session compar") and "4p2bzjf" in line:
        project.call("session", "compare", "-m", example_project.MODELS[1])
    if command in {"session judge", "session opinions"}:
        prepare_judging(project, line)
    if command == "withdraw" and "--undo" in line:
        published = project.ids["published"]
        project.call("withdraw", published, "--yes", "--by", "me", "--why", "another key")
    if command.startswith("session "):
        prepare_sessions(project, command, line)
    if command == "report" and "--update" in line:
        project.call("report", project.ids["published"])
    prepare_files(project, command, line)


def run_example(project: example_project.ExampleProject, line: str, key: str) -> None:
    """Run an example; a server is stopped by Ctrl-C once it has answered."""
    if line.startswith("leaderboard serve"):
        ask_server(project, line)
    else:
        project.run_shell(line, LEADERBOARD_REPORT_KEY=key)


def ask_server(project: example_project.ExampleProject, line: str) -> None:
    """Start a server, ask it for its front page, and end it."""
    arguments = [*line.split()[1:], *([] if "--port" in line else ["--port", "0"])]
    with WarmCommand(
        arguments,
        cwd=project.folder,
        env=make_command_environment(HOME=str(project.folder)),
        stdout=subprocess.PIPE,
    ) as served:
        assert served.stdout is not None
        output = ""
        for text in served.stdout:
            output += text
            if text.startswith("http://"):
                assert httpx.get(text.split(" ")[0]).is_success
                break
        served.send_signal(signal.SIGINT)
        assert served.wait(PATIENCE_S) == 0, output


def mark(name: str) -> object:
    """Return the name as a parameter of its tier."""
    return pytest.param(
        name,
        id=name or "leaderboard",
        marks=(pytest.mark.night,) if name in NIGHT else (),
    )


@pytest.mark.more
@pytest.mark.parametrize("command", [mark(name) for name in EXAMPLES])
def test_the_examples_of_help_work(
    command: str, made: example_project.ExampleProject, address: str, tmp_path: Path
) -> None:
    """Each example ends with 0, in its own copy of the project."""
    scores = DataFolder(tmp_path / "scores")
    shutil.copytree(made.data.root / "benchmarks", scores.root / "benchmarks")
    key = KeyStore(scores.keys_file).create("us", ("runs:write",), None)
    with ServerProcess(scores.root) if uses_server(command) else nullcontext() as server:
        for number, line in enumerate(EXAMPLES[command]):
            if line in ELSEWHERE:
                continue
            project = made.copy_to(tmp_path / f"{number}")
            project.name_provider(address)
            prepare(project, command, line)
            values = {"http://127.0.0.1:8080/v1": address, **write_values(project, command)}
            if server is not None:
                values["https://scores.example.org"] = server.address
            run_example(project, example_project.substitute(line, values), key)


def uses_server(command: str) -> bool:
    """Return whether an example sends runs."""
    return any("scores.example.org" in line for line in EXAMPLES[command])


LEAVES = {
    name: command for name, command in COMMANDS.items() if not isinstance(command, click.Group)
}


def has_json(command: click.Command) -> bool:
    """Return whether a command has the option `--json`."""
    return any("--json" in each.opts for each in command.get_params(click.Context(command)))


@pytest.mark.unit
def test_every_command_prints_json_or_has_a_reason() -> None:
    """A new command has the option --json, or stands in the list."""
    missing = {name for name, command in LEAVES.items() if not has_json(command)}
    assert missing == WITHOUT_JSON.keys()


@pytest.mark.parametrize(
    "command", [mark(name) for name, command in LEAVES.items() if has_json(command)]
)
def test_json_is_one_document_on_standard_output(
    command: str, made: example_project.ExampleProject, address: str, tmp_path: Path
) -> None:
    """The first example of a command, with --json, prints only JSON on standard output."""
    project = made.copy_to(tmp_path / "project")
    project.name_provider(address)
    line = EXAMPLES[command][0]
    prepare(project, command, line)
    typed = re.split(r"[#|>&]", example_project.substitute(line, write_values(project, command)))[0]
    with_json = typed if "--json" in typed else f"{typed} --json"
    project.run_shell(f"{with_json} > printed.json")
    text = (project.folder / "printed.json").read_text()
    assert json.loads(text) is not None
