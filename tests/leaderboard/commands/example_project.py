"""A project with the records and files that the examples of the command's help need.

Three evals of the suite, one of them hard, under git; published, local and unfinished runs;
sessions, a comparison, an ablation. All of it was made by the command itself.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from records.files.data_folder import DataFolder
from records.guidelines.sections import parse_sections
from records.journal.entries import make_opening_entry
from records.reader import read_run
from records.runs.run_lookup import find_run
from records.shapes.run import Run
from records.writer import write_run
from runner.runs.record import reopen
from tests.leaderboard.commanding import PATIENCE_S, serve_provider
from tests.records import examples
from tests.review.session_imports.transcripts import (
    make_reply_item,
    make_request_item,
    make_session_meta,
)
from tests.runner.conftest import FIRST_STEP_ONLY
from tests.runner.served import find_free_port
from tests.support import warm_command
from tests.support.shell_blocks import ShellBlock, run

EVALS = (
    "000-fundamentals/001-greenhouse_crons",
    "002-queries/008-wagon_depots",
    "003-mutations/000-forget_hive",
)
MODELS = ("anthropic/claude-opus-5.5", "openai/gpt-6-luna", "openai/gpt-5")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PROSE = {"default": {"text": 'No files. {"class": "model_fault", "reason": "It wrote prose."}'}}
"""An answer that fails at the first step, and proposes a class for a report."""
REFUSING = {"default": {"kind": "status", "status": 401}}
NOBODY = "http://127.0.0.1:9/v1"
"""A placeholder for the address of a provider, until a test has a real provider."""

_ENTRY = """
[[models]]
slug = "{slug}"
name = "{slug}"
provider = "Example"
litellm_id = "openai/{name}"
api_base = "{address}"
limits = {{ max_output_tokens = 4000, concurrency = 2 }}
price = {{ input = 1.0, output = 2.0 }}
"""
_CONVERSATION = {
    "messages": [
        {"role": "user", "content": "How do I call useQuery?"},
        {"role": "assistant", "content": "With the reference of a query."},
    ]
}
_OF_CLAUDE = (
    {"type": "user", "content": "Where is the app?"},
    {"type": "assistant", "content": [{"type": "text", "text": "In app/."}]},
)


class ExampleProject:
    """A project folder, which is the user's home, too, and the ids of records by their kind."""

    def __init__(self, folder: Path) -> None:
        """Use the project at ``folder``."""
        self.folder = folder
        self.data = DataFolder(folder / "data")

    @property
    def ids(self) -> Mapping[str, str]:
        """The ids of the project's records by their kind, such as ``unfinished``.

        ``port`` is the port of the provider, since a run goes on only at the address that it asked.
        """
        return json.loads((self.folder / "ids.json").read_text())

    def copy_to(self, folder: Path) -> "ExampleProject":
        """Return a copy that a test may change."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return ExampleProject(folder)

    def name_provider(self, address: str) -> None:
        """Write the registry, whose models a provider at ``address`` serves."""
        entries = [
            _ENTRY.format(slug=slug, name=slug.partition("/")[2], address=address)
            for slug in MODELS
        ]
        self.data.models_file.write_text("schema_version = 1\n" + "".join(entries))

    def run_shell(self, line: str, **more: str) -> str:
        """Run a line as a user's shell does, in the project; return its output.

        Programs that grading makes once for a user are those of other commands of tests.
        """
        program = warm_command.make_warm_program()
        cache = Path(warm_command.make_command_environment()["HOME"]) / ".cache"
        return run(
            ShellBlock(line, None),
            self.folder,
            program.parent,
            more={"XDG_CACHE_HOME": str(cache), **more},
            pass_fds=[warm_command.start_server().fileno()],
        )

    def call(self, *arguments: str, code: int = 0) -> str:
        """Run a command in the project, which ends with ``code``; return its standard output.

        Answers are judged at the first step, and nothing is started that grades more.
        """
        with (self.folder.parent / "printed").open("w+") as printed:
            running = warm_command.WarmCommand(
                arguments,
                cwd=self.folder,
                env=warm_command.make_command_environment(HOME=str(self.folder)),
                stdout=printed,
                before=FIRST_STEP_ONLY,
            )
            ended = running.wait(PATIENCE_S)
            printed.seek(0)
            text = printed.read()
        assert ended == code, f"{arguments}\n{text}"
        return text

    def run_git(self, *arguments: str) -> None:
        """Run git in the project."""
        subprocess.run(
            ["git", "-C", self.folder, *arguments],
            env=warm_command.make_command_environment(HOME=str(self.folder)),
            check=True,
            capture_output=True,
        )

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.run_git("add", "--all")
        self.run_git("commit", "--quiet", "--message", message)

    def run_anew(self, *arguments: str, code: int = 0) -> Run:
        """Run a model; return its record, of a commit without changes."""
        (row,) = json.loads(self.call("run", "--json", *arguments, code=code))
        record = read_run(self.folder / row["record"])
        clean = examples.with_harness(record, git_commit=COMMIT)
        write_run(self.data.local, clean)
        return clean


def make_project(folder: Path) -> None:
    """Make the project in ``folder / "project"``."""
    project = ExampleProject(folder / "project")
    _write_files(project)
    project.run_git("init", "--quiet", "--initial-branch=main", ".")
    project.call("suite", "mint")
    project.commit("begin")
    project.run_git("tag", "v1.2")
    port = find_free_port()
    ids = {"port": str(port)}
    with serve_provider(folder / "answering", PROSE, port) as address:
        project.name_provider(address)
        for name, model in (("published", MODELS[0]), ("baseline", "empty"), ("local", MODELS[1])):
            ids[name] = project.run_anew("-m", model).run_id
    for name in ("published", "baseline"):
        project.call("publish", ids[name])
    project.commit("results")
    project.run_git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    with serve_provider(folder / "refusing", REFUSING, port) as address:
        project.name_provider(address)
        for name in ("unfinished", "unfinished too", "damaged"):
            ids[name] = project.run_anew("-m", MODELS[0], code=3).run_id
        project.call("ablate", "-m", MODELS[0], code=3)
        (ids["ablation"],) = (path.stem for path in project.data.local.trials.list_files())
    project.name_provider(NOBODY)
    project.call("session", "from-run", ids["published"])
    (ids["session"], *other_sessions) = _list_sessions(project)
    ids["other session"] = other_sessions[0]
    project.call("session", "label", ids["session"], "--status", "golden", "--ready")
    project.call("session", "label", ids["session"], "--add", "auth")
    (project.folder / "ids.json").write_text(json.dumps(ids))


def _write_files(project: ExampleProject) -> None:
    folder = project.folder
    evals = folder / "evals"
    evals.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__", "_generated")
    for name in EVALS:
        shutil.copytree(warm_command.ROOT / "evals" / name, evals / name, ignore=ignored)
    _exercise_all_sections(evals)
    hard = evals / EVALS[-1] / "eval.toml"
    hard.write_text(re.sub(r'(?m)^level = ".*"', 'level = "hard"', hard.read_text()))
    for name in ("guidelines.md", "guidelines.tokens.json", "package.json", "package-lock.json"):
        shutil.copy(warm_command.ROOT / "evals" / name, evals / name)
    (evals / "node_modules").symlink_to(warm_command.ROOT / "evals" / "node_modules")
    shutil.copytree(warm_command.ROOT / "site_templates", folder / "site_templates", ignore=ignored)
    (folder / "docs").mkdir()
    shutil.copy(warm_command.ROOT / "docs" / "method.md", folder / "docs")
    (folder / ".gitignore").write_text(
        "site/\n.site.build/\ndata/local/\n__pycache__/\nids.json\nnode_modules\n.claude/\n.codex/\n.gitconfig\n"
    )
    shutil.copy(evals / "guidelines.md", folder / "old-guidelines.md")
    (folder / "chats.jsonl").write_text(f"{json.dumps(_CONVERSATION)}\n")
    (published,) = (warm_command.ROOT / "data" / "imports").glob("published_analyses-*.json")
    shutil.copy(published, folder / "analyses.json")
    (folder / "results.csv").write_text("model,task,sample,outcome\nhouse,sums,q1,passed\n")
    (folder / "scores.csv").write_text("model,task,sample,outcome\nhouse,rules,q1,0.7\n")
    rollout = folder / ".codex" / "sessions" / "rollout.jsonl"
    rollout.parent.mkdir(parents=True)
    records = [make_session_meta(), make_request_item("Why?"), make_reply_item("So.")]
    rollout.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    recorded = folder / ".claude" / "projects" / "app" / "1.jsonl"
    recorded.parent.mkdir(parents=True)
    recorded.write_text(
        "".join(f"{json.dumps(_make_claude_line(number))}\n" for number in range(2))
    )
    (folder / ".gitconfig").write_text("[user]\nname = An author\nemail = a@example.org\n")
    project.data.root.mkdir()
    project.name_provider(NOBODY)


def damage_journal(folder: DataFolder, run_id: str) -> None:
    """Give a run a journal with a line that cannot be read in its middle."""
    record = find_run(folder, run_id).read()
    reopen(folder, record, make_opening_entry(record))
    journal = folder.get_journal_file(record.model.slug, run_id)
    first, *tail = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([first, b'{"kind": "generated", \n', *tail]))


def _list_sessions(project: ExampleProject) -> Sequence[str]:
    rows = json.loads(project.call("session", "list", "--json"))
    return [row["id"] for row in rows]


def _exercise_all_sections(evals: Path) -> None:
    """Let the first eval name every section of the guidelines, as the whole suite does together."""
    names = list(parse_sections((warm_command.ROOT / "evals" / "guidelines.md").read_text()))
    config = evals / EVALS[0] / "eval.toml"
    line = f"guidelines = {json.dumps(names)}"
    config.write_text(re.sub(r"(?ms)^guidelines = \[.*?\]", line, config.read_text()))


def _make_claude_line(number: int) -> dict[str, object]:
    """Return a line as Claude Code records it."""
    message = _OF_CLAUDE[number]
    return {
        "type": message["type"],
        "sessionId": "0f0e0d0c-0000-4000-8000-000000000001",
        "uuid": f"0f0e0d0c-0000-4000-8000-00000000001{number}",
        "parentUuid": None,
        "timestamp": f"2026-11-01T10:00:0{number}.000Z",
        "cwd": "/app",
        "message": {"role": message["type"], "content": message["content"]},
    }


def substitute(line: str, values: Mapping[str, str]) -> str:
    """Return an example with words of its own replaced by those of a test."""
    for word in sorted(values, key=len, reverse=True):
        line = re.sub(rf"(?<![\w./-]){re.escape(word)}(?![\w-])", values[word], line)
    return line


def split_examples(epilog: str | None) -> Sequence[str]:
    """Return the examples that stand below the options of a command."""
    lines = (line.strip() for line in (epilog or "").splitlines())
    return [line for line in lines if line.startswith("leaderboard ")]
