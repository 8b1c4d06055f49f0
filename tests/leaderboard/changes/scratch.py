"""A scratch repository with a small suite, models, a run and a report."""

from dataclasses import dataclass
from pathlib import Path

from generator.diff.writers import MarkdownWriter, TextWriter
from leaderboard.changes import description
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Experiment, Run
from records.writer import write_run
from runner.evals.discovery import discover
from runner.grading.grade import compute_grader_digest
from runner.suite.mint import mint
from tests.github.hosting import PREVIEW, load_comment_script
from tests.records import examples
from tests.runner.conftest import write_prose_suite
from tests.support.git import run_git
from tests.support.warm_command import ROOT

EVALS = 3
EVAL = "000-fundamentals/000-task"
MODELS = """\
schema_version = 1

[[models]]
slug = "openai/gpt-example"
name = "GPT Example"
provider = "OpenAI"
litellm_id = "openai/gpt-example"

[[models]]
slug = "maker/other"
name = "Other"
provider = "Maker"
litellm_id = "maker/other"
"""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A repository whose branch ``main`` holds a whole project; ``head`` is edited."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> "Scratch":
        """Write the project and commit it."""
        made = cls(root)
        write_prose_suite(made.evals, EVALS)
        run_git(root, "init", "--quiet", "--initial-branch=main", ".")
        (made.evals / "node_modules").unlink()
        (made.evals / "package.json").unlink()
        made.write("evals/package.json", (ROOT / "evals" / "package.json").read_text("utf-8"))
        made.write("evals/README.md", "Evals.\n")
        made.write("data/models.toml", MODELS)
        mint(discover(made.evals), made.data)
        made.publish(made.run("a"))
        made.report(made.run("a"))
        made.commit()
        run_git(root, "checkout", "--quiet", "-b", "head")
        return made

    @property
    def evals(self) -> Path:
        """The suite."""
        return self.root / "evals"

    @property
    def data(self) -> DataFolder:
        """The records."""
        return DataFolder(self.root / "data")

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file below the root."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)

    def append(self, path: str, text: str) -> None:
        """Write at the end of a file below the root."""
        self.write(path, (self.root / path).read_text("utf-8") + text)

    def run(self, letter: str, passed: int = 2, slug: str = examples.SLUG) -> Run:
        """Return a whole run of the suite, graded by its graders, with this number of passes."""
        suite = discover(self.evals)
        attempts = tuple(
            self._make_attempt(evaluation.name, compute_grader_digest(evaluation), number < passed)
            for number, evaluation in enumerate(suite.evals)
        )
        made = examples.with_harness(examples.make_run(letter * 32), git_commit="c" * 40)
        return examples.with_attempts(
            examples.with_model(made, slug=slug),
            attempts,
            experiment=Experiment(name="no_guidelines", guidelines=None),
            benchmark_version=mint(suite, DataFolder(self.root / "scratch")).version,
            planned=tuple(evaluation.name for evaluation in suite.evals),
        )

    def publish(self, run: Run) -> None:
        """Write a record."""
        write_run(self.data, run)

    def report(self, run: Run, *, draft: bool = False, failure_class: str | None = None) -> Path:
        """Write a report on a run with one failure."""
        fields = {"eval": EVAL, "class": failure_class}
        report = examples.make_report(run, failures=(fields,), passed=2, draft=draft)
        return examples.write_report(self.data, report, run.model.slug)

    def commit(self) -> None:
        """Commit everything but the scratch folder."""
        run_git(self.root, "add", "--all", "data", "evals")
        run_git(self.root, "commit", "--quiet", "--allow-empty", "--message", "change")

    def describe(self, checks: Path | None = None) -> description.RevisionChange:
        """Commit, and return the changes that merging the branch would make."""
        self.commit()
        return description.compare_revisions(
            "main", "head", self.data.root, self.evals, merge=True, checks=checks
        )

    def _make_attempt(self, name: str, grader: str, passed: bool) -> Attempt:  # noqa: FBT001
        outcome = Outcome.PASSED if passed else Outcome.FAILED
        attempt = examples.make_attempt(name, outcome=outcome)
        key = attempt.key and attempt.key.model_copy(update={"grader": grader})
        return attempt.model_copy(update={"key": key})


def write_comment(change: description.RevisionChange) -> str:
    """Return the comment as it is posted: after the second check of every line."""
    writer = MarkdownWriter(PREVIEW, 60_000)
    text = writer.compose(
        description.format_headline(change, writer), description.describe_revisions(change, writer)
    )
    return load_comment_script().make_harmless(text.encode(), f"{PREVIEW}/")


def write_headline(change: description.RevisionChange) -> str:
    """Return the line that heads the comment."""
    return description.format_headline(change, TextWriter())
