from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.checks.check_data import check_data
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.foreign.files import ForeignFile
from records.shapes.attempt import FaultClass
from records.shapes.run import Imported, Withdrawal
from records.writer import write_run
from runner.published_results import csv_results
from runner.published_results.board_results import ResultChoices
from tests.runner.published_results import results

pytestmark = pytest.mark.unit

ROWS = """model,task,sample,outcome,cost_usd,input_tokens,reason,date
openai/gpt-6,math,q1,passed,0.01,120,,2026-11-02
openai/gpt-6,math,q10,failed,,,two is wrong,2026-11-02
openai/gpt-6,math,q9,error,,,timeout,2026-11-02
house model,math,q1,1,,,,2026-11-03
house model,math,q9,0,,,,2026-11-03
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of five answers by two models."""
    path = tmp_path / "results.csv"
    path.write_text(ROWS)
    return path


def test_a_day_of_import_leaves_the_source_as_it_is(folder: DataFolder, table: Path) -> None:
    """Pages link a source that is an address and no more; the day has a field of its own."""
    table.write_text("model,task,sample,outcome\na,t,1,1\n")
    results.import_files(folder, table, source="https://example.org/results")
    (run,) = results.read_runs(folder)
    assert isinstance(run.provenance, Imported)
    assert run.provenance.source == "https://example.org/results"
    assert run.provenance.day_of_import


def test_each_model_gets_a_run(folder: DataFolder, table: Path) -> None:
    """Words and numbers are outcomes, in the natural order of samples; gaps were not run."""
    results.import_files(folder, table)
    house, gpt = results.read_runs(folder)

    assert (gpt.model.slug, gpt.model.provider) == ("openai/gpt-6", "openai")
    assert list(results.read_outcomes(folder, gpt).items()) == [
        ("math q1", "passed"),
        ("math q9", "infrastructure"),
        ("math q10", "failed"),
    ]
    assert (house.model.name, house.model.provider) == ("house model", "not named")
    assert results.read_outcomes(folder, house) == {
        "math q1": "passed",
        "math q9": "failed",
        "math q10": "not_run",
    }
    assert check_data(folder) == []


def test_facts_stay_and_unknown_facts_are_null(folder: DataFolder, table: Path) -> None:
    """A cost of one answer is the cost of one answer, and nothing is made up for the others."""
    results.import_files(folder, table)
    gpt = results.read_runs(folder)[1]
    first, fault = (results.find_attempt(folder, gpt, title) for title in ("math q1", "math q9"))

    assert first.generation is not None
    assert (first.generation.cost_usd, first.generation.tokens.input) == (0.01, 120)
    assert (first.generation.duration_s, first.generation.tokens.output) == (None, None)
    assert fault.fault is not None
    assert (fault.fault.kind, fault.fault.evidence) == (FaultClass.OUTAGE, "timeout")
    assert (gpt.totals.cost_known_for, gpt.totals.generation_s) == (1, None)
    assert results.find_attempt(folder, gpt, "math q10").reason == "two is wrong"
    assert (f"{gpt.date}", gpt.started_at) == ("2026-11-02", None)


def test_the_same_results_make_no_second_run(folder: DataFolder, table: Path) -> None:
    """Neither the same file, nor a copy of another name, nor the kept facts add a run."""
    first = results.import_files(folder, table)
    before = {path: path.read_bytes() for path in folder.root.rglob("*.json")}
    copy = table.with_name("copy.csv")
    copy.write_text(ROWS)
    facts = next(folder.imports.iterdir())
    again = results.import_files(folder, copy, table, facts)

    assert (len(first.runs), again.runs, again.files) == (2, {}, {})
    assert {path: path.read_bytes() for path in folder.root.rglob("*.json")} == before


def test_the_kept_facts_make_the_same_records(folder: DataFolder, table: Path) -> None:
    """From data/imports/ alone, the same records are made again, to the byte."""
    results.import_files(folder, table)
    other = DataFolder(folder.root.with_name("other"))
    results.import_files(other, next(folder.imports.iterdir()))

    files = [path for path in folder.root.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert (other.root / path.relative_to(folder.root)).read_bytes() == path.read_bytes()


def test_other_samples_or_another_pass_mark_make_another_version(
    folder: DataFolder, table: Path
) -> None:
    """Scores are comparable only for the same samples, judged in the same way."""
    results.import_files(folder, table)
    results.import_files(folder, table, passes_at=0.5)
    table.write_text(ROWS.replace("q10", "q11"))
    results.import_files(folder, table)

    benchmarks = results.read_benchmarks(folder)
    assert len({benchmark.version for benchmark in benchmarks}) == 3
    assert {benchmark.imported and benchmark.imported.passes_at for benchmark in benchmarks} == {
        None,
        0.5,
    }
    assert check_data(folder) == []


def test_hostile_names_stay_within_the_folder(folder: DataFolder, table: Path) -> None:
    """Names with paths, markup and marks of direction become plain names of files."""
    names = "../../../etc/passwd", "<script>alert(1)</script>", "a\u202eb/c\u202ed", "Ünï/cödé"
    table.write_text(
        "model,task,sample,outcome\n" + "".join(f"{name},{name},{name},1\n" for name in names)
    )
    results.import_files(folder, table)
    slugs = {run.model.slug for run in results.read_runs(folder)}

    assert len(slugs) == len(names)
    assert check_data(folder) == []
    assert not [path for path in folder.root.rglob("*") if ".." in path.parts]


def test_a_withdrawn_run_stays_withdrawn(folder: DataFolder, table: Path) -> None:
    """An import of changed results of a named run does not undo a maintainer's decision."""
    rows = ROWS.replace(",date\n", ",date,run\n").replace("2026-11-02\n", "2026-11-02,r1\n")
    table.write_text(rows.replace("2026-11-03\n", "2026-11-03,r2\n"))
    results.import_files(folder, table)
    gpt = results.read_runs(folder)[1]
    write_run(folder, gpt.model_copy(update={"withdrawn": Withdrawal(by="me", reason="faulty")}))
    table.write_text(table.read_text().replace("q10,failed", "q10,passed"))
    results.import_files(folder, table)

    (changed,) = [run for run in results.read_runs(folder) if run.run_id == gpt.run_id]
    assert changed.withdrawn is not None
    assert results.read_outcomes(folder, changed)["math q10"] == "passed"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("model,task,sample\n", "line 1: has no column outcome; columns are: model, "),
        (
            "model,task,sample,outcom\n",
            "line 1: has no column outcome; outcom: close to it is outcome",
        ),
        (
            "Modell;Task;Sample;Outcome\n",
            "line 1: has no column model; modell: close to it is model",
        ),
        (
            "model,task,sample,outcome,cost\n",
            "line 1: has an unknown column 'cost'; cost: close to",
        ),
        ("model,task,sample,outcome,\na,b,c,1,x\n", "line 2: has a cell in column 5, which has no"),
        ("model;task;sample;outcome;cost_usd\na;b;c;1;1.000,5\n", "line 2.cost_usd: is no number"),
        ("model,task,sample,outcome\na,b,c\n", "line 2: has 3 cells, the first line 4"),
        ("model,task,sample,outcome\na,b,,1\n", "line 2.sample: is empty"),
        ("model,task,sample,outcome\na,b,c,maybe\n", "line 2.outcome: unknown outcome 'maybe'"),
        ("model,task,sample,outcome\na,b,c,0.5\n", "line 2.outcome: the score 0.5 is neither"),
        ("model,task,sample,outcome\na,b,c,1\na,b,c,0\n", "a, b, sample c: has two results"),
        ("model,task,sample,outcome\n", "has no row"),
        ("\n\nmodel,task,sample,outcome\na,b,c,maybe\n", "line 4.outcome: unknown outcome"),
        ('model,task,sample,outcome\na,b,"c,1\n', "line 2: is no CSV"),
        ("model,task,sample,outcome,cost_usd\na,b,c,1,-1\n", "line 2.cost_usd: is no number from"),
        ("model,task,sample,outcome,date\na,b,c,1,soon\n", "line 2.date: is no time"),
        (
            "model,task,sample,outcome,repetition\na,b,c,1,101\n",
            "line 2: repetition: Input should be less than or equal to 100",
        ),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(
    folder: DataFolder, table: Path, text: str, reason: str
) -> None:
    """The message names line, column and reason, and nothing is written."""
    table.write_text(text)
    assert results.catch_refusal(folder, table).startswith(reason)


TABLE = "model,task,sample,outcome,cost_usd\na/b,t,q1,passed,0.5\na/b,t,q2,failed,0.25\n"


@pytest.mark.parametrize(
    "data",
    [
        TABLE.encode(),
        TABLE.replace(",", "\t").encode(),
        TABLE.replace(",", ";").replace("0.", "0,").encode(),
        ("sep=;\r\n" + TABLE.replace(",", ";").replace("\n", "\r\n")).encode(),
        ("sep=|\n" + TABLE.replace(",", "|")).encode(),
        TABLE.replace("\n", "\r").encode(),
        TABLE.replace("model", "Model").replace("cost_usd", "Cost USD").encode("utf-8-sig"),
        TABLE.replace(",", "\t").encode("utf-16"),
        TABLE.replace(",", ";").replace("\n", ";;\n").encode("utf-16"),
        b"," + TABLE.replace("\n", "\n,", 2).encode(),
        b"\t" + TABLE.replace("\n", "\n\t", 2).replace(",", "\t").encode(),
        (TABLE.replace("cost_usd\n", "cost_usd,,\n")).encode(),
    ],
)
def test_tables_of_spreadsheets(folder: DataFolder, table: Path, data: bytes) -> None:
    """Any separator, capitals, UTF-16, and columns with neither a name nor a cell are read."""
    file = table.with_name("results.txt")
    file.write_bytes(data)
    results.import_files(folder, file)
    (run,) = results.read_runs(folder)
    assert results.read_outcomes(folder, run) == {"t q1": "passed", "t q2": "failed"}
    assert run.totals.cost_usd == 0.75


def test_numbers_pass_from_the_named_score_on(folder: DataFolder, table: Path) -> None:
    """A score of exactly --pass-at passes."""
    table.write_text("model,task,sample,outcome\na,b,c,0.5\na,b,d,0.49\n")
    results.import_files(folder, table, passes_at=0.5)

    assert results.read_outcomes(folder, results.read_runs(folder)[0]) == {
        "b c": "passed",
        "b d": "failed",
    }


@pytest.mark.parametrize(
    ("cell", "cost"),
    [("1e-05", 1e-05), ("1E+2", 100.0), (".5", 0.5), ("5.", 5.0), ("0", 0.0), ("1e-4", 1e-4)],
)
def test_numbers_of_spreadsheets(folder: DataFolder, table: Path, cell: str, cost: float) -> None:
    """A small cost may be written with an exponent."""
    table.write_text(f"model,task,sample,outcome,cost_usd\na,b,c,1,{cell}\n")
    results.import_files(folder, table)
    assert results.read_runs(folder)[0].totals.cost_usd == cost


@given(st.text("0123456789.e-+E", min_size=1, max_size=12))
def test_cells_of_number_characters(cell: str) -> None:
    """A cell is a number or is refused; `1e-` and `1-2` are no numbers."""
    text = f"model,task,sample,outcome,cost_usd\na,b,c,{cell},{cell}\n"
    file = ForeignFile(Path("results.csv"), text.encode(), str)
    with suppress(InvalidRecordError):
        (run,) = csv_results.read(file, ResultChoices(passes_at=0.5)).runs
        assert run.results[0].generation is not None
        assert run.results[0].generation.cost_usd == float(cell)


def test_long_names_of_runs_stay_apart(folder: DataFolder, table: Path) -> None:
    """Two runs whose names differ only at their ends are two runs; a longer name is refused."""
    rows = (f"a,b,c,1,{'x' * 300}{number}" for number in range(2))
    table.write_text("\n".join(("model,task,sample,outcome,run", *rows)))
    results.import_files(folder, table)
    assert len(results.read_runs(folder)) == 2
    table.write_text(f"model,task,sample,outcome,run\na,b,c,1,{'x' * 401}\n")
    other = DataFolder(folder.root.with_name("other"))
    assert "identity: String should have at most 400" in results.catch_refusal(other, table)


@pytest.mark.parametrize(
    ("text", "has_time"),
    [("2026-11-27", False), ("20261127", False), ("1795774272", True), ("2026-11-27 08:00", True)],
)
def test_a_date_with_a_time_is_a_beginning(
    folder: DataFolder, table: Path, text: str, *, has_time: bool
) -> None:
    """A day has no time of its own."""
    table.write_text(f"model,task,sample,outcome,date\na,b,c,1,{text}\n")
    results.import_files(folder, table)
    (run,) = results.read_runs(folder)
    assert (f"{run.date}", run.started_at is not None) == ("2026-11-27", has_time)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    """Any bytes below the columns are read, or refused with a reason."""
    file = ForeignFile(Path("results.csv"), b"model,task,sample,outcome\n" + data, str)
    with suppress(InvalidRecordError):
        assert csv_results.read(file, ResultChoices()).runs
