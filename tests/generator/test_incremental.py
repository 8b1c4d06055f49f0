"""A build that goes on from the last one leaves the bytes that a build from nothing leaves."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest

from generator.build import Builder, Sources, build
from generator.errors import OutputFolderError
from generator.look import Look
from generator.units import file_units, page_units
from records.artifacts import attempt_digest, write_archive
from records.errors import InvalidRecordError
from records.folder import DataFolder
from records.reader import read_report, read_run
from records.report import Report, report_name, report_text
from records.run import Attempt, Experiment, Outcome, Run, RunModel, Withdrawal
from records.totals import totals
from records.writer import write_benchmark, write_run
from tests.generator.gathered import gathered
from tests.records.examples import artifact, attempt, benchmark, run

ROOT = Path(__file__).parents[2]
SUITE = ("000-fundamentals/000-dome_functions", "002-queries/000-wreck_finds_search")
EVALS = (*SUITE, "002-queries/099-elsewhere")
"""What runs met: the suite has no texts of the last."""
EDITS = 200


class Place:
    """A small project that can be edited at random."""

    def __init__(self, root: Path, seed: int) -> None:
        self.dice = Random(seed)  # noqa: S311 - the same edits every time
        self.data = DataFolder(root / "data")
        self.templates = root / "templates"
        self.evals = root / "evals"
        self.method = root / "method.md"
        self.number = 0
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "site_templates", self.templates, ignore=ignored)
        for name in SUITE:
            shutil.copytree(ROOT / "evals" / name, self.evals / name)
        self.method.write_text("# Method\n\n## Part\n\nText.\n", encoding="utf-8")
        for version, minted in (("feedfacecafe", True), ("deadbeef0123", False)):
            self.define(version, minted=minted)
        for _ in range(8):
            self.add_run()
        self.add_report()

    @property
    def sources(self) -> Sources:
        """Where a build of it reads from."""
        return Sources(self.data, self.templates, self.evals, local=True, method=self.method)

    def define(self, version: str, *, minted: bool) -> None:
        """Write the definition of a benchmark version."""
        each = next(iter(benchmark(1).evals.values()))
        update = {"version": version, "evals": dict.fromkeys(EVALS, each)}
        if not minted:
            update |= {"minted_at": None, "source": "elsewhere"}
        write_benchmark(self.data, benchmark(1).model_copy(update=update))

    def runs(self) -> list[Path]:
        """The records that there are, local ones included."""
        return [*self.data.run_files(), *self.data.local.run_files()]

    def reports(self) -> list[Path]:
        """The reports that there are."""
        return list(self.data.report_files())

    def folders(self) -> list[Path]:
        """The evals of the suite."""
        return [path.parent for path in sorted(self.evals.glob("*/*/eval.toml"))]

    def edit(self) -> str:
        """Change something; return what."""
        change = self.dice.choice(self.CHANGES)
        change(self)
        return change.__name__

    def add_run(self) -> None:
        """Add a run, of one model or another, published or local, with its archive or without."""
        self.number += 1
        model = self.dice.randrange(3)
        attempts = tuple(self._attempt(name) for name in EVALS)
        made = run().model_copy(
            update={
                "run_id": f"{self.number:04d}" + "a" * 28,
                "model": RunModel(
                    slug=f"maker/model-{model}",
                    name=f"Model {model}",
                    provider="Maker",
                    litellm_id=None,
                    kind="baseline" if model == 2 else "llm",
                    parameters={},
                ),
                "experiment": Experiment(
                    name=self.dice.choice(["default", "no_guidelines"]), guidelines=None
                ),
                "benchmark_version": self.dice.choice(["feedfacecafe", "deadbeef0123", "gone"]),
                "date": date(2026, 1, 1) + timedelta(days=self.dice.randrange(90)),
                "planned": EVALS,
                "attempts": attempts,
                "totals": totals(attempts),
            }
        )
        folder = self.dice.choice([self.data, self.data, self.data.local])
        if self.dice.random() < 0.3:
            made = self._archived(folder, made)
        write_run(folder, made)

    def remove_run(self) -> None:
        """Remove a record; its report and archive stay."""
        if self.runs():
            self.dice.choice(self.runs()).unlink()

    def change_run(self) -> None:
        """Change how an attempt ended, or why, or withdraw the run."""
        if not self.runs():
            return
        path = self.dice.choice(self.runs())
        made = read_run(path)
        if self.dice.random() < 0.2:
            made = made.model_copy(update={"withdrawn": Withdrawal(by="us", reason="wrong")})
        else:
            at = self.dice.randrange(len(made.attempts))
            kept = made.attempts[at].artifact
            other = self._attempt(made.attempts[at].eval).model_copy(update={"artifact": kept})
            attempts = (*made.attempts[:at], other, *made.attempts[at + 1 :])
            made = made.model_copy(update={"attempts": attempts, "totals": totals(attempts)})
        self._rewrite(path, made)

    def touch_run(self) -> None:
        """Write the same bytes again."""
        if self.runs():
            path = self.dice.choice(self.runs())
            path.write_bytes(path.read_bytes())

    def rename_model(self) -> None:
        """Change what a run calls its model."""
        if self.runs():
            path = self.dice.choice(self.runs())
            made = read_run(path)
            model = made.model.model_copy(update={"name": f"Model <{self.dice.randrange(9)}>"})
            self._rewrite(path, made.model_copy(update={"model": model}))

    def move_archive(self) -> None:
        """Remove what the attempts of a run wrote, published or local, or bring it back."""
        found = [
            path
            for folder in (self.data, self.data.local)
            for path in (folder.root / "artifacts").rglob("*.zip*")
        ]
        if found:
            path = self.dice.choice(sorted(found))
            path.rename(path.with_suffix("" if path.suffix == ".away" else ".zip.away"))

    def move_run(self) -> None:
        """Publish a local run, or take a published one back; its archive stays."""
        if self.runs():
            path = self.dice.choice(self.runs())
            here, there = self.data.root, self.data.local.root
            if path.is_relative_to(there):
                here, there = there, here
            moved = there / path.relative_to(here)
            moved.parent.mkdir(parents=True, exist_ok=True)
            path.rename(moved)

    def add_report(self) -> None:
        """Add a report on a run, or on none, or change the one of that day."""
        runs = self.runs()
        made = (
            read_run(self.dice.choice(runs)) if runs and self.dice.random() < 0.9 else run("z" * 32)
        )
        report = Report.model_validate(
            {
                "schema_version": 1,
                "run": made.run_id,
                "author": f"author {self.dice.randrange(3)}",
                "date": date(2026, 5, self.dice.randrange(1, 4)),
                "planned": 2,
                "passed": 1,
                "failures": [
                    {
                        "eval": self.dice.choice(EVALS),
                        "class": self.dice.choice(["model_fault", "overly_strict"]),
                        "note": "n",
                    }
                ],
                "text": f"# Title\n\nText {self.dice.randrange(9)}\n",
            }
        )
        folder = self.data.reports(made.model.slug)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / report_name(report)).write_text(report_text(report), encoding="utf-8")

    def change_report(self) -> None:
        """Change the prose of a report."""
        if self.reports():
            path = self.dice.choice(self.reports())
            report = read_report(path).model_copy(update={"text": f"New {self.dice.random()}\n"})
            path.write_text(report_text(report), encoding="utf-8")

    def remove_report(self) -> None:
        """Remove a report."""
        if self.reports():
            self.dice.choice(self.reports()).unlink()

    def change_template(self) -> None:
        """Change a template, the layout or a part among them."""
        path = self.dice.choice(sorted(self.templates.glob("*.html")))
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
        path = self.dice.choice(self.folders()) / "TASK.txt"
        path.write_text(path.read_text(encoding="utf-8") + "More.\n", encoding="utf-8")

    def change_title(self) -> None:
        """Change what an eval is called."""
        path = self.dice.choice(self.folders()) / "eval.toml"
        text = re.sub(r"(?m)^title = .*$", f'title = "E{self.dice.randrange(9)}"', path.read_text())
        path.write_text(text, encoding="utf-8")

    def move_eval(self) -> None:
        """Let two evals that runs met swap their names; of one the suite may have no texts."""
        self.swap(*self.dice.sample(EVALS, 2))

    def swap(self, one: str, other: str) -> None:
        """Let two evals of the suite swap their names; where one is missing the other takes it."""
        for old, new in ((one, "away"), (other, one), ("away", other)):
            if (self.evals / old).exists():
                (self.evals / new).parent.mkdir(parents=True, exist_ok=True)
                (self.evals / old).rename(self.evals / new)

    def change_method(self) -> None:
        """Change the method page."""
        self.method.write_text(f"# Method\n\nText {self.dice.random()}.\n", encoding="utf-8")

    def change_version(self) -> None:
        """Define a version otherwise: which one is on the front page may change."""
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
        *(change_registry, move_run, move_eval),
    )

    def _attempt(self, name: str) -> Attempt:
        kinds = [Outcome.PASSED, Outcome.PASSED, Outcome.FAILED, Outcome.INFRASTRUCTURE]
        made = attempt(name, outcome=self.dice.choice(kinds))
        return made.model_copy(update={"reason": f"because {self.dice.randrange(9)}"})

    def _archived(self, folder: DataFolder, made: Run) -> Run:
        written = [artifact(one.eval) for one in made.attempts]
        write_archive(folder.artifact_file(made.model.slug, made.run_id), written)
        attempts = tuple(
            one.model_copy(update={"artifact": attempt_digest(each)})
            for one, each in zip(made.attempts, written, strict=True)
        )
        return made.model_copy(update={"attempts": attempts})

    def _rewrite(self, path: Path, made: Run) -> None:
        folder = self.data.local if path.is_relative_to(self.data.local.root) else self.data
        write_run(folder, made)


def files(out: Path) -> dict[str, bytes]:
    """Everything in an output folder."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file()
    }


def from_nothing(place: Place, out: Path) -> dict[str, bytes]:
    """What a build that knows nothing leaves."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(out.with_name(f".{out.name}.build"), ignore_errors=True)
    build(place.sources, out)
    return files(out)


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The paths at which two sites are not the same."""
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


Seen = dict[str, tuple[int, int] | None]
"""By path, a file's time and inode; None for a folder."""


def seen(place: Place) -> Seen:
    """What a watcher would see."""
    roots = (place.data.root, place.templates, place.evals)
    return {
        f"{path}": None if path.is_dir() else (path.stat().st_mtime_ns, path.stat().st_ino)
        for root in roots
        for path in root.rglob("*")
    }


def told(before: Seen, after: Seen) -> list[str]:
    """What a watcher would tell: the paths that came, went or changed."""
    both = before.keys() & after.keys()
    return [
        *(before.keys() ^ after.keys()),
        *(path for path in both if before[path] != after[path]),
    ]


def test_after_each_of_many_edits_the_site_is_that_of_a_full_build(tmp_path: Path) -> None:
    """Records, reports, archives, templates, texts and settings change; every byte follows.

    Every other build looks only at what a watcher tells of.
    """
    place = Place(tmp_path, seed=11)
    out, full = tmp_path / "site", tmp_path / "full"
    builder = Builder(place.sources, out)
    builder.build()
    done: list[str] = []
    for number in range(EDITS):
        before = seen(place)
        done.append(place.edit())
        if number % 5 == 0:
            builder = Builder(place.sources, out)
        builder.build(told(before, seen(place)) if number % 2 else None)
        whole = from_nothing(place, full)
        assert differing(files(out), whole) == [], f"after {done[-3:]}"
    assert set(done) == {change.__name__ for change in Place.CHANGES}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A small project, built once into `site`."""
    made = Place(tmp_path, seed=7)
    build(made.sources, tmp_path / "site")
    return made


def test_nothing_changed_is_nothing_done(place: Place, tmp_path: Path) -> None:
    """A second build writes no file, and imports neither pydantic, jinja2 nor numpy."""
    again = build(place.sources, tmp_path / "site")
    assert (again.changed, again.removed) == ((), ())
    code = (
        "import sys; from pathlib import Path; from generator.build import Sources, build; "
        "from records.folder import DataFolder; root = Path(sys.argv[1]); "
        "build(Sources(DataFolder(root / 'data'), root / 'templates', root / 'evals', local=True,"
        " method=root / 'method.md'), root / 'site'); "
        "print(sorted({'pydantic', 'jinja2', 'numpy', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_changed_template_writes_only_the_pages_that_use_it(place: Place, tmp_path: Path) -> None:
    """The page of an eval has a template of its own; no other page is written."""
    template = place.templates / "eval.html"
    text = template.read_text(encoding="utf-8")
    template.write_text(text.replace("<h1>", "<h1>New: "), encoding="utf-8")
    changed = build(place.sources, tmp_path / "site").changed
    assert sorted(changed) == [f"evals/{name}/index.html" for name in EVALS]


def test_an_eval_takes_its_texts_along_to_another_name(place: Place, tmp_path: Path) -> None:
    """No page keeps the task of an eval whose name means another now, or none."""
    for one, other in ((SUITE[0], EVALS[2]), (SUITE[1], EVALS[2]), SUITE):
        place.swap(one, other)
        build(place.sources, tmp_path / "site")
        assert differing(files(tmp_path / "site"), from_nothing(place, tmp_path / "full")) == []


def test_a_changed_reason_writes_the_pages_of_its_run_alone(place: Place, tmp_path: Path) -> None:
    """What only they show changes no other page."""
    found = [read_run(path) for path in place.data.run_files()]
    made = next(one for one in found if one.attempts[0].fault is None)
    first = made.attempts[0].model_copy(update={"reason": "another reason"})
    write_run(place.data, made.model_copy(update={"attempts": (first, *made.attempts[1:])}))
    changed = build(place.sources, tmp_path / "site").changed
    assert f"runs/{made.run_id}/index.html" in changed
    assert all(path.startswith(f"runs/{made.run_id}/") for path in changed)


def test_a_changed_prose_makes_its_own_page_anew_alone(place: Place) -> None:
    """No other page can show it, so none is even looked at; a new class concerns many."""

    def keys() -> dict[str, str]:
        material = gathered(place.data)
        units = [*file_units(material), *page_units(material, Look(place.templates), place.method)]
        return {unit.name: unit.key for unit in units}

    before = keys()
    path = place.reports()[0]
    path.write_text(path.read_text(encoding="utf-8") + "More.\n", encoding="utf-8")
    after = keys()
    [name] = [name for name, key in after.items() if before[name] != key]
    assert name.startswith("report.html ")
    report = read_report(path).model_copy(update={"author": "somebody else"})
    path.write_text(report_text(report), encoding="utf-8")
    assert sum(after[name] != key for name, key in keys().items()) > 1


def test_what_comes_or_goes_is_looked_for_though_only_its_folder_is_told(
    place: Place, tmp_path: Path
) -> None:
    """A folder that is moved away takes its runs along; one that is moved in brings them."""
    out = tmp_path / "site"
    builder = Builder(place.sources, out)
    builder.build()
    folder = place.data.root / "runs"
    away = tmp_path / "away"
    folder.rename(away)
    assert builder.build([f"{folder}"]).removed
    assert differing(files(out), from_nothing(place, tmp_path / "full")) == []
    away.rename(folder)
    assert builder.build([f"{folder}"]).changed
    assert differing(files(out), from_nothing(place, tmp_path / "full")) == []


def test_what_could_not_be_read_is_not_forgotten(place: Place, tmp_path: Path) -> None:
    """A record that is still broken refuses the next build, which is told of another file."""
    builder = Builder(place.sources, tmp_path / "site")
    builder.build()
    broken, other = sorted(place.data.run_files())[:2]
    broken.write_text("{}", encoding="utf-8")
    for path in (broken, other):
        with pytest.raises(InvalidRecordError, match=broken.name):
            builder.build([f"{path}"])


def test_a_first_build_stands_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    """A record that cannot be read leaves no folder; what is built next is the site alone."""
    place = Place(tmp_path, seed=3)
    out = tmp_path / "site"
    record = next(iter(place.data.run_files()))
    good = record.read_bytes()
    record.write_bytes(b"{}")
    with pytest.raises(InvalidRecordError):
        build(place.sources, out)
    assert not out.exists()
    record.write_bytes(good)
    out.mkdir()
    written = build(place.sources, out)
    assert {*written.changed, ".built-by-leaderboard"} == files(out).keys()


def test_templates_are_compiled_once_for_all_builds(place: Place, tmp_path: Path) -> None:
    """What was compiled stands beside the templates; what another program left there is removed."""
    kept = place.templates / "__pycache__"
    old, strange = kept / ("0" * 32), kept / "strange"
    old.mkdir(parents=True)
    strange.mkdir()
    build(place.sources, tmp_path / "one")
    assert not old.exists()
    assert strange.exists()
    compiled = {path: path.stat().st_mtime_ns for path in kept.glob("*/*.bytecode")}
    assert len(compiled) > 5
    build(place.sources, tmp_path / "other")
    assert {path: path.stat().st_mtime_ns for path in kept.glob("*/*.bytecode")} == compiled


def test_an_invalid_record_leaves_the_last_good_site(place: Place, tmp_path: Path) -> None:
    """It is named by file and field, and not one file is written or removed."""
    before = files(tmp_path / "site")
    place.change_settings()
    path = place.runs()[0]
    path.write_text(path.read_text().replace('"status": "completed"', '"status": "done"'))
    with pytest.raises(InvalidRecordError, match="status"):
        build(place.sources, tmp_path / "site")
    assert files(tmp_path / "site") == before


def test_a_page_that_was_lost_or_edited_is_made_again(place: Place, tmp_path: Path) -> None:
    """What somebody else did to the output does not last."""
    out = tmp_path / "site"
    before = files(out)
    (out / "index.html").write_text("mine")
    (out / "about" / "index.html").unlink()
    changed = build(place.sources, out).changed
    assert sorted(changed) == ["about/index.html", "index.html"]
    assert files(out) == before


@pytest.mark.parametrize("damage", [b"", b"not a database" * 100])
def test_a_damaged_memory_is_as_good_as_none(place: Place, tmp_path: Path, damage: bytes) -> None:
    """The build goes on from nothing, without a word, and writes what was to be written."""
    out = tmp_path / "site"
    before = files(out)
    (tmp_path / ".site.build" / "state.sqlite").write_bytes(damage)
    assert build(place.sources, out).changed == ()
    assert files(out) == before


def test_a_report_without_its_run_is_told(place: Place, tmp_path: Path) -> None:
    """The site is built, and the notice names the report and the run that is missing."""
    report = place.reports()[0]
    text = report.read_text(encoding="utf-8")
    report.write_text(re.sub(r"(?m)^run = .*$", f'run = "{"q" * 32}"', text), encoding="utf-8")
    (notice,) = build(place.sources, tmp_path / "site").notices
    assert report.name in notice
    assert "q" * 32 in notice


def test_every_source_may_be_the_current_folder(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run with its archive is built, and what a watcher tells of is found, from `.`."""
    whole = files(tmp_path / "site")
    for folder, name in (
        (place.data.root, "data"),
        (place.templates, "templates"),
        (place.evals, "evals"),
    ):
        monkeypatch.chdir(folder)
        here = DataFolder(Path()) if name == "data" else Path()
        out = tmp_path / f"from-{name}"
        builder = Builder(replace(place.sources, **{name: here}), out)
        builder.build()
        assert differing(files(out), whole) == []
    changed = place.evals / SUITE[0] / "TASK.txt"
    changed.write_text("Another task.\n", encoding="utf-8")
    assert f"evals/{SUITE[0]}/index.html" in builder.build([f"{changed}"]).changed


def test_only_a_folder_that_a_build_made_is_built_into(place: Place, tmp_path: Path) -> None:
    """Somebody's files are neither overwritten nor removed."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputFolderError):
        build(place.sources, mine)
    assert files(mine) == {"thesis.txt": b"years of work"}


def test_two_builds_of_the_same_data_are_the_same_bytes(place: Place, tmp_path: Path) -> None:
    """Hash seeds, working folders and the time of day leave no trace."""
    found: list[dict[str, bytes]] = []
    for seed in ("1", "2"):
        folder = tmp_path / f"in-{seed}"
        folder.mkdir()
        command = [sys.executable, "-m", "leaderboard", "build", "--local"]
        command += ["--data", str(place.data.root), "--templates", str(place.templates)]
        command += ["--evals", str(place.evals), "--out", str(folder / "out")]
        environment = {"PATH": "/usr/bin", "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        found.append(files(folder / "out"))
    assert differing(*found) == []
