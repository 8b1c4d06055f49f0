"""A small project that tests build from, and can be edited at random."""

import re
import shutil
from datetime import date, timedelta
from pathlib import Path
from random import Random

from generator.build import Sources, build
from records.files.data_folder import DataFolder
from records.reader import read_report, read_run
from records.shapes.attempt import Attempt, CarriedOver, Outcome
from records.shapes.report import encode_report
from records.shapes.run import Experiment, Run, Withdrawal
from records.suites.eval_config import DescribedEval, Pipeline, SuiteDescription
from records.writer import write_record, write_run
from tests.records import examples

ROOT = Path(__file__).parents[2]
SUITE = ("000-fundamentals/000-dome_functions", "002-queries/000-wreck_finds_search")
EVALS = (*SUITE, "002-queries/099-elsewhere")
"""The evals of the runs: the suite has no texts of the last."""


class EditableProject:
    """A small project that can be edited at random."""

    def __init__(self, root: Path, seed: int) -> None:
        self.dice = Random(seed)  # noqa: S311 - the same edits every time
        self.root = root
        self.data = DataFolder(root / "data")
        self.templates = root / "templates"
        self.evals = root / "evals"
        self.method = root / "docs" / "method.md"
        self.number = 0
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "site_templates", self.templates, ignore=ignored)
        for name in SUITE:
            shutil.copytree(ROOT / "evals" / name, self.evals / name)
        self.method.parent.mkdir()
        shutil.copy(ROOT / "docs" / "method.md", self.method)  # pages link to its paragraphs
        for version, minted in (("feedfacecafe", True), ("deadbeef0123", False)):
            self.define(version, minted=minted)
        for _ in range(8):
            self.add_run()
        self.add_report()

    @property
    def sources(self) -> Sources:
        """The sources of a build of the project."""
        return Sources(self.data, self.templates, self.evals, local=True)

    def define(self, version: str, *, minted: bool) -> None:
        """Write the definition of a benchmark version."""
        origin = {} if minted else {"minted_at": None, "source": "elsewhere"}
        defined = examples.make_benchmark(EVALS, version=version, **origin)
        write_record(self.data.benchmarks, defined)

    def list_runs(self) -> list[Path]:
        """Return the existing records, local records included."""
        return [*self.data.list_run_files(), *self.data.local.list_run_files()]

    def list_reports(self) -> list[Path]:
        """Return the existing reports."""
        return list(self.data.list_report_files())

    def list_folders(self) -> list[Path]:
        """Return the folders of the suite's evals."""
        return [path.parent for path in sorted(self.evals.glob("*/*/eval.toml"))]

    def add_run(self) -> None:
        """Add a published or local run of some model, with or without its archive."""
        self.number += 1
        model = self.dice.randrange(3)
        attempts = self._carry_answer_over(tuple(self._make_attempt(name) for name in EVALS))
        made = examples.with_attempts(
            examples.make_run(f"{self.number:04d}" + "a" * 28),
            attempts,
            model=examples.make_model(
                f"maker/model-{model}",
                name=f"Model {model}",
                litellm_id=None,
                kind="baseline" if model == 2 else "llm",
            ),
            experiment=Experiment(
                name=self.dice.choice(["default", "no_guidelines"]), guidelines=None
            ),
            benchmark_version=self.dice.choice(["feedfacecafe", "deadbeef0123", "gone"]),
            date=date(2026, 1, 1) + timedelta(days=self.dice.randrange(90)),
            planned=EVALS,
            carry_over_days=90,
        )
        folder = self.dice.choice([self.data, self.data, self.data.local])
        if self.dice.random() < 0.3:
            made = examples.write_answers(folder, made)
        write_run(folder, made)

    def _carry_answer_over(self, attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
        """Let the first attempt carry over an answer of another run, which may lack a record."""
        ids = [path.stem for path in self.list_runs()]
        if self.dice.random() < 0.5 or not ids or attempts[0].generation is None:
            return attempts
        origin = CarriedOver(
            run=self.dice.choice([*ids, "f" * 32]), asked_from=examples.NOON, prompt="0" * 64
        )
        return (attempts[0].model_copy(update={"carried_over": origin}), *attempts[1:])

    def remove_run(self) -> None:
        """Remove a record; its report and archive stay."""
        if self.list_runs():
            self.dice.choice(self.list_runs()).unlink()

    def change_run(self) -> None:
        """Change the outcome or the reason of an attempt, or withdraw the run."""
        if not self.list_runs():
            return
        path = self.dice.choice(self.list_runs())
        made = read_run(path)
        if self.dice.random() < 0.2:
            made = made.model_copy(update={"withdrawn": Withdrawal(by="us", reason="wrong")})
        else:
            at = self.dice.randrange(len(made.attempts))
            former = made.attempts[at]
            other = self._make_attempt(former.eval, artifact=former.artifact)
            attempts = (*made.attempts[:at], other, *made.attempts[at + 1 :])
            made = examples.with_attempts(made, attempts)
        self._rewrite_run(path, made)

    def touch_run(self) -> None:
        """Write the same bytes again."""
        if self.list_runs():
            path = self.dice.choice(self.list_runs())
            path.write_bytes(path.read_bytes())

    def rename_model(self) -> None:
        """Change the name of a run's model."""
        if self.list_runs():
            path = self.dice.choice(self.list_runs())
            name = f"Model <{self.dice.randrange(9)}>"
            self._rewrite_run(path, examples.with_model(read_run(path), name=name))

    def move_archive(self) -> None:
        """Remove the archive of a published or local run, or restore it."""
        archives = [
            path
            for folder in (self.data, self.data.local)
            for path in (folder.root / "artifacts").rglob("*.zip*")
        ]
        if archives:
            path = self.dice.choice(sorted(archives))
            path.rename(path.with_suffix("" if path.suffix == ".away" else ".zip.away"))

    def move_run(self) -> None:
        """Publish a local run, or make a published run local; its archive stays."""
        if self.list_runs():
            path = self.dice.choice(self.list_runs())
            here, there = self.data.root, self.data.local.root
            if path.is_relative_to(there):
                here, there = there, here
            moved = there / path.relative_to(here)
            moved.parent.mkdir(parents=True, exist_ok=True)
            path.rename(moved)

    def add_report(self) -> None:
        """Add a report on a run, or on none, or change the report of that day."""
        runs = self.list_runs()
        made = (
            read_run(self.dice.choice(runs))
            if runs and self.dice.random() < 0.9
            else examples.make_run("z" * 32)
        )
        report = examples.make_report(
            made,
            author=f"author {self.dice.randrange(3)}",
            date=date(2026, 5, self.dice.randrange(1, 4)),
            planned=2,
            passed=1,
            failures=[
                {
                    "eval": self.dice.choice(EVALS),
                    "class": self.dice.choice(["model_fault", "overly_strict"]),
                    "note": "n",
                }
            ],
            text=f"# Title\n\nText {self.dice.randrange(9)}\n",
        )
        examples.write_report(self.data, report, made.model.slug)

    def change_report(self) -> None:
        """Change the prose of a report."""
        if self.list_reports():
            path = self.dice.choice(self.list_reports())
            report = read_report(path).model_copy(update={"text": f"New {self.dice.random()}\n"})
            path.write_text(encode_report(report), encoding="utf-8")

    def remove_report(self) -> None:
        """Remove a report."""
        if self.list_reports():
            self.dice.choice(self.list_reports()).unlink()

    def change_template(self) -> None:
        """Change a template, the layout or a part among them."""
        path = self.dice.choice(sorted(self.templates.rglob("*.html")))
        text = path.read_text(encoding="utf-8")
        mark = f"<!-- {self.dice.randrange(100)} -->"
        changed = re.sub(r"<!-- \d+ -->", mark, text)
        if changed == text:
            changed = re.sub(r"(\{% (?:block main|macro [^%]*) -?%\})", rf"\1{mark}", text)
        path.write_text(changed if changed != text else text + mark, encoding="utf-8")

    def change_asset(self) -> None:
        """Change the style sheet."""
        with (self.templates / "assets" / "site.css").open("a", encoding="utf-8") as file:
            file.write(f"/* {self.dice.randrange(100)} */\n")

    def change_settings(self) -> None:
        """Change the site's tagline."""
        path = self.templates / "site.toml"
        text = re.sub(
            r"(?m)^tagline = .*$", f'tagline = "T{self.dice.randrange(9)}"', path.read_text()
        )
        path.write_text(text, encoding="utf-8")

    def change_task(self) -> None:
        """Change the text of an eval."""
        path = self.dice.choice(self.list_folders()) / "TASK.txt"
        path.write_text(path.read_text(encoding="utf-8") + "More.\n", encoding="utf-8")

    def change_title(self) -> None:
        """Change the title of an eval."""
        path = self.dice.choice(self.list_folders()) / "eval.toml"
        text = re.sub(r"(?m)^title = .*$", f'title = "E{self.dice.randrange(9)}"', path.read_text())
        path.write_text(text, encoding="utf-8")

    def move_eval(self) -> None:
        """Let two evals of the runs swap their names; the suite may have no texts of an eval."""
        self.swap(*self.dice.sample(EVALS, 2))

    def swap(self, first: str, second: str) -> None:
        """Let two evals of the suite swap their names; without one, the other takes its name."""
        for old, new in ((first, "away"), (second, first), ("away", second)):
            if (self.evals / old).exists():
                (self.evals / new).parent.mkdir(parents=True, exist_ok=True)
                (self.evals / old).rename(self.evals / new)

    def describe_suite(self) -> None:
        """Describe an eval as part of a suite kept elsewhere, or remove the description."""
        path = self.data.suites.get_file("feedfacecafe")
        if path.exists() and self.dice.random() < 0.3:
            path.unlink()
            return
        described = DescribedEval(
            title="Described",
            pipeline=Pipeline.FULL,
            task=f"Task {self.dice.randrange(9)}.\n",
            reference={"convex/index.ts": "export {};\n"},
            tests=("it is there",),
        )
        write_record(
            self.data.suites,
            SuiteDescription(
                schema_version=1,
                version="feedfacecafe",
                name="elsewhere",
                described_at=examples.NOON,
                evals={EVALS[-1]: described},
            ),
        )

    def change_method(self) -> None:
        """Change the method page."""
        self.method.write_text(f"# Method\n\nText {self.dice.random()}.\n", encoding="utf-8")

    def change_version(self) -> None:
        """Define a version anew: the version on the front page may change."""
        self.define("deadbeef0123", minted=self.dice.random() < 0.5)

    def change_registry(self) -> None:
        """Add or remove the registry of models."""
        if self.data.models_file.exists():
            self.data.models_file.unlink()
        else:
            self.data.models_file.write_text(
                'schema_version = 1\n[[models]]\nslug = "maker/model-1"\nname = "Model 1"\n'
                'provider = "Maker"\nlitellm_id = "a/b"\n',
                encoding="utf-8",
            )

    CHANGES = (
        *(add_run, remove_run, change_run, change_run, touch_run, rename_model, move_archive),
        *(add_report, change_report, remove_report, change_template, change_asset),
        *(change_settings, change_task, change_title, change_method, change_version),
        *(change_registry, move_run, move_eval, describe_suite),
    )

    def _make_attempt(self, name: str, artifact: str | None = None) -> Attempt:
        kinds = [Outcome.PASSED, Outcome.PASSED, Outcome.FAILED, Outcome.INFRASTRUCTURE]
        return examples.make_attempt(
            name,
            outcome=self.dice.choice(kinds),
            reason=f"because {self.dice.randrange(9)}",
            artifact=artifact,
        )

    def _rewrite_run(self, path: Path, made: Run) -> None:
        folder = self.data.local if path.is_relative_to(self.data.local.root) else self.data
        write_run(folder, made)


def read_site_files(out: Path) -> dict[str, bytes]:
    """Return every file in an output folder by its path."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file()
    }


def from_nothing(place: EditableProject, out: Path) -> dict[str, bytes]:
    """Build without a cache and an earlier site; return the files."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(out.with_name(f".{out.name}.build"), ignore_errors=True)
    build(place.sources, out)
    return read_site_files(out)


def assert_as_from_nothing(place: EditableProject, out: Path) -> None:
    """Check that a site has the files of a build without a cache and an earlier site."""
    whole = from_nothing(place, place.root / "full")
    assert list_differing_paths(read_site_files(out), whole) == []


def list_differing_paths(files: dict[str, bytes], other_files: dict[str, bytes]) -> list[str]:
    """Return the paths at which two sites are not the same."""
    return sorted(
        path
        for path in files.keys() | other_files.keys()
        if files.get(path) != other_files.get(path)
    )
