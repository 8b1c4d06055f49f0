"""A build that continues from the last build leaves the same bytes as a build from nothing."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from generator.build import Builder, build
from generator.errors import SourceChangedError
from generator.read.suite_texts import EvalTexts, read_suite_texts
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.reader import read_report, read_run
from records.shapes.report import encode_report
from records.writer import write_run
from tests.generator.conftest import MakeProject
from tests.generator.editable_project import (
    EVALS,
    ROOT,
    SUITE,
    EditableProject,
    assert_as_from_nothing,
    from_nothing,
    list_differing_paths,
    read_site_files,
)
from tests.records.examples import with_attempts

pytestmark = pytest.mark.integration

_KINDS = len(EditableProject.CHANGES)


@pytest.mark.more
@pytest.mark.parametrize("edits", [_KINDS, pytest.param(200, marks=pytest.mark.night)])
def test_after_each_of_many_edits_the_site_is_that_of_a_full_build(
    make_project: MakeProject, edits: int
) -> None:
    """Records, reports, archives, templates, texts and settings change; every byte follows.

    Each kind of edit comes once, then any of them by chance.
    """
    project = make_project(11)
    out, full = project.root / "site", project.root / "full"
    builder = Builder(project.sources, out)
    builder.build()
    changes = project.dice.sample(EditableProject.CHANGES, _KINDS)
    changes += project.dice.choices(EditableProject.CHANGES, k=edits - _KINDS)
    for number, change in enumerate(changes):
        change(project)
        if number % 5 == 0:
            builder = Builder(project.sources, out)
        builder.build()
        whole = from_nothing(project, full)
        names = [each.__name__ for each in changes[: number + 1]]
        assert list_differing_paths(read_site_files(out), whole) == [], f"after {names[-3:]}"


_FORKED: Final = """
import os
import sys
from pathlib import Path

from generator import workers
from generator.build import Sources, build
from records.files.data_folder import DataFolder

workers.FEW_RUNS = workers._FEWEST = 0
os.sched_getaffinity = lambda process: {0, 1}
begin, builder = workers._Worker.begin, os.getpid()

def noted(*given):
    (root / "pids" / str(os.getpid())).touch()
    return begin(*given)

workers._Worker.begin = noted
root = Path(sys.argv[1])
(root / "pids").mkdir()
sources = Sources(DataFolder(root / "data"), root / "templates", root / "evals", local=True)
build(sources, root / "forked")
print(*sorted({path.name for path in (root / "pids").iterdir()} - {str(builder)}))
"""


@pytest.mark.more
def test_forked_workers_build_the_same_bytes_as_one_process(place: EditableProject) -> None:
    """A site of few runs is built by one process; here both ways are taken for the same site."""
    command = [sys.executable, "-c", _FORKED, str(place.root)]
    workers = subprocess.check_output(command, text=True).split()
    assert workers
    assert (
        list_differing_paths(
            read_site_files(place.root / "forked"), read_site_files(place.root / "site")
        )
        == []
    )


def test_nothing_changed_is_nothing_done(place: EditableProject) -> None:
    """A second build writes no file, and imports neither pydantic, jinja2, numpy nor pandas."""
    again = build(place.sources, place.root / "site")
    assert (again.changed, again.removed) == ((), ())
    code = (
        "import sys; from pathlib import Path; from generator.build import Sources, build; "
        "from records.files.data_folder import DataFolder; root = Path(sys.argv[1]); "
        "build(Sources(DataFolder(root / 'data'), root / 'templates', root / 'evals', local=True),"
        " root / 'site'); "
        "print(sorted({'pydantic', 'jinja2', 'numpy', 'pandas', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(place.root)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_changed_template_writes_only_the_pages_that_use_it(place: EditableProject) -> None:
    """The page of an eval has a template of its own; no other page is written."""
    template = place.templates / "pages/eval.html"
    text = template.read_text(encoding="utf-8")
    template.write_text(text.replace("<h1>", "<h1>New: "), encoding="utf-8")
    changed = build(place.sources, place.root / "site").changed
    assert sorted(changed) == [f"evals/{name}/index.html" for name in EVALS]


def test_an_eval_takes_its_texts_along_to_another_name(place: EditableProject) -> None:
    """No page keeps the task of an eval whose name belongs to another eval now, or to none."""
    for first, second in ((SUITE[0], EVALS[2]), (SUITE[1], EVALS[2]), SUITE):
        place.swap(first, second)
        build(place.sources, place.root / "site")
        assert_as_from_nothing(place, place.root / "site")


def test_a_changed_reason_writes_the_pages_of_its_run_alone(place: EditableProject) -> None:
    """Outside the run and its pairs only the feed and the manifest change, which is packed, too."""
    runs = [read_run(path) for path in place.data.list_run_files()]
    made = next(run for run in runs if run.attempts[0].fault is None)
    first = made.attempts[0].model_copy(update={"reason": "another reason"})
    write_run(place.data, with_attempts(made, (first, *made.attempts[1:])))
    changed = build(place.sources, place.root / "site").changed
    assert f"runs/{made.run_id}/index.html" in changed
    listed = ("api/v1/manifest.", "api/v1/tables.zip", "feed.xml")
    assert [path for path in changed if not path.startswith(("runs/", "diff/", *listed))] == []
    outside = [path for path in changed if made.run_id not in path]
    assert all(path.startswith(listed) for path in outside)


def test_a_changed_prose_writes_its_own_page_alone(place: EditableProject) -> None:
    """No other page has the prose; a new author appears in lists as well."""
    path = place.list_reports()[0]
    path.write_text(path.read_text(encoding="utf-8") + "More.\n", encoding="utf-8")
    [changed] = build(place.sources, place.root / "site").changed
    assert changed.startswith("reports/")
    report = read_report(path).model_copy(update={"author": "somebody else"})
    path.write_text(encode_report(report), encoding="utf-8")
    assert {changed, "reports/index.html"} <= {*build(place.sources, place.root / "site").changed}


def test_a_draft_is_on_previews_only(place: EditableProject) -> None:
    """The published site has neither its page nor a link to it; a preview marks it as a draft."""
    path = min(place.list_reports())
    draft = read_report(path).model_copy(update={"draft": True})
    path.write_text(encode_report(draft), encoding="utf-8")
    page = f"reports/{path.parent.parent.name}/{path.parent.name}/{path.stem}/"
    for local in (False, True):
        out = place.root / f"site-{local}"
        build(replace(place.sources, local=local), out)
        assert (out / page / "index.html").exists() is local
        assert any(page.encode() in data for data in read_site_files(out).values()) is local
    assert "A draft, which only previews show." in (out / page / "index.html").read_text("utf-8")


def test_unreadable_files_are_not_forgotten(place: EditableProject) -> None:
    """A record that is still broken stops the next build as well."""
    builder = Builder(place.sources, place.root / "site")
    builder.build()
    broken = min(place.data.list_run_files())
    broken.write_text("{}", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(InvalidRecordError, match=broken.name):
            builder.build()


def test_a_first_build_stands_as_a_whole_or_not_at_all(make_project: MakeProject) -> None:
    """An invalid record leaves no folder; the next build writes the site and nothing else."""
    project = make_project(3)
    out = project.root / "site"
    record = next(iter(project.data.list_run_files()))
    good = record.read_bytes()
    record.write_bytes(b"{}")
    with pytest.raises(InvalidRecordError):
        build(project.sources, out)
    assert not out.exists()
    record.write_bytes(good)
    out.mkdir()
    written = build(project.sources, out)
    assert {*written.changed, ".built-by-leaderboard"} == read_site_files(out).keys()


@pytest.mark.more
def test_templates_are_compiled_once_for_all_builds(place: EditableProject) -> None:
    """Compiled templates stay beside the templates; leftovers of other versions are removed."""
    cache = place.templates / "__pycache__"
    old, strange = cache / ("0" * 32), cache / "strange"
    old.mkdir(parents=True)
    strange.mkdir()
    build(place.sources, place.root / "one")
    assert not old.exists()
    assert strange.exists()
    compiled = {path: path.stat().st_mtime_ns for path in cache.glob("*/*.bytecode")}
    assert len(compiled) > 5
    build(place.sources, place.root / "other")
    assert {path: path.stat().st_mtime_ns for path in cache.glob("*/*.bytecode")} == compiled


def test_an_invalid_record_leaves_the_last_good_site(place: EditableProject) -> None:
    """The error names file and field, and not one file is written or removed."""
    before = read_site_files(place.root / "site")
    place.change_settings()
    path = place.list_runs()[0]
    path.write_text(path.read_text().replace('"status": "completed"', '"status": "done"'))
    with pytest.raises(InvalidRecordError, match="status"):
        build(place.sources, place.root / "site")
    assert read_site_files(place.root / "site") == before


@pytest.mark.parametrize(
    "damage",
    [
        b'{"program": 1}',
        *(pytest.param(damage, marks=pytest.mark.more) for damage in (b"", b"{", b"[]")),
    ],
)
def test_a_damaged_cache_counts_as_empty(place: EditableProject, damage: bytes) -> None:
    """The build starts from nothing, without a notice, and writes only files that differ."""
    out = place.root / "site"
    before = read_site_files(out)
    (place.root / ".site.build" / "cache.json").write_bytes(damage)
    assert build(place.sources, out).changed == ()
    assert read_site_files(out) == before


@pytest.mark.parametrize(
    "kind",
    ["run", *(pytest.param(kind, marks=pytest.mark.more) for kind in ("template", "method"))],
)
def test_a_source_that_changes_during_the_build_stops_it(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The error names it and nothing is written; once the file is restored, so is the site."""
    path = {
        "run": place.list_runs()[0],
        "template": place.templates / "pages/about.html",
        "method": place.method,
    }[kind]
    text, when = path.read_text(encoding="utf-8"), path.stat().st_mtime_ns
    words = {"run": ("because", "whereas"), "template": ("<", "New <")}.get(kind, ("T", "New T"))
    changed = text.replace(*words)
    assert changed != text
    out = place.root / "other"
    with monkeypatch.context() as patched:
        act_when_texts_are_read(patched, lambda: path.write_text(changed, encoding="utf-8"))
        with pytest.raises(SourceChangedError, match=path.name):
            build(place.sources, out)
    assert not out.exists()
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(when, when))
    build(place.sources, out)
    assert_as_from_nothing(place, out)


def test_a_report_that_changes_after_it_was_read_is_read_by_the_next_build(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This build has the text from before the change; the next build reads the report again."""
    report, out = place.list_reports()[0], place.root / "other"
    text = report.read_text(encoding="utf-8")
    with monkeypatch.context() as patched:
        act_when_texts_are_read(patched, lambda: report.write_text(text + "More.\n"))
        build(place.sources, out)
    assert build(place.sources, out).changed
    assert_as_from_nothing(place, out)


def act_when_texts_are_read(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Act during a build, after the summaries of reports and before runs are read."""

    def act_and_read(root: Path, read_eval: Callable[[Path], EvalTexts]) -> dict[str, EvalTexts]:
        act()
        return read_suite_texts(root, read_eval)

    monkeypatch.setattr("generator.read.suite_texts.read_suite_texts", act_and_read)


def test_a_report_without_its_run_is_reported(place: EditableProject) -> None:
    """The site is built, and the notice names the report and the missing run."""
    report = place.list_reports()[0]
    text = report.read_text(encoding="utf-8")
    report.write_text(re.sub(r"(?m)^run: .*$", f"run: {'q' * 32}", text), encoding="utf-8")
    notices = build(place.sources, place.root / "site").notices
    (notice,) = [line for line in notices if line.startswith(f"{report}")]
    assert report.name in notice
    assert "q" * 32 in notice


@pytest.mark.more
def test_every_source_may_be_the_current_folder(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From `.`, a run with its archive is built, and changes are detected."""
    whole = read_site_files(place.root / "site")
    for folder, name in (
        (place.data.root, "data"),
        (place.templates, "templates"),
        (place.evals, "evals"),
    ):
        monkeypatch.chdir(folder)
        here = DataFolder(Path()) if name == "data" else Path()
        out = place.root / f"from-{name}"
        builder = Builder(replace(place.sources, **{name: here}), out)
        builder.build()
        assert list_differing_paths(read_site_files(out), whole) == []
    changed = place.evals / SUITE[0] / "TASK.txt"
    changed.write_text("Another task.\n", encoding="utf-8")
    assert f"evals/{SUITE[0]}/index.html" in builder.build().changed


def test_two_builds_of_the_same_data_are_the_same_bytes(place: EditableProject) -> None:
    """Hash seeds, working folders, forked workers and the time of day leave no trace."""
    builds: list[dict[str, bytes]] = []
    for seed in ("1", "2"):
        folder = place.root / f"in-{seed}"
        folder.mkdir()
        command = [sys.executable, "-m", "leaderboard", "build", "--local"]
        command += ["--data", str(place.data.root), "--templates", str(place.templates)]
        command += ["--evals", str(place.evals), "--out", str(folder / "out")]
        environment = {"PATH": "/usr/bin", "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        builds.append(read_site_files(folder / "out"))
    assert list_differing_paths(*builds) == []
    assert list_differing_paths(read_site_files(place.root / "site"), builds[0]) == []
