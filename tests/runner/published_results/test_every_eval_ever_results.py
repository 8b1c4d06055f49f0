import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.foreign import files
from records.shapes.attempt import CostBasis, FaultClass, Tokens
from tests.records.examples import NOON
from tests.runner.published_results import results

pytestmark = pytest.mark.unit

AGGREGATE, SAMPLES = results.FILES / "eee-sums.json", results.FILES / "eee-sums_samples.jsonl"

Make = Callable[[results.Change], tuple[Path, Path]]


@pytest.fixture
def changed(tmp_path: Path) -> Make:
    """The maker of changed copies of the two files, with a verdict on each answer."""

    def make(change: results.Change) -> tuple[Path, Path]:
        aggregate = json.loads(AGGREGATE.read_bytes())
        rows = [json.loads(line) for line in SAMPLES.read_text().splitlines()]
        detailed = aggregate["detailed_evaluation_results"]
        del detailed["checksum"], detailed["total_rows"]
        for row in rows:
            is_right = row["output"]["raw"] != ["5"]
            row["evaluation"] |= {"score": float(is_right), "is_correct": is_right}
        results.change_json({"whole": aggregate, "rows": rows}, change)
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        detailed.setdefault("checksum", hashlib.sha256(text.encode()).hexdigest())
        paths = tmp_path / "a.json", tmp_path / "a_samples.jsonl"
        paths[0].write_text(json.dumps(aggregate))
        paths[1].write_text(text)
        return paths

    return make


def test_aggregate_and_samples_are_a_run(folder: DataFolder, changed: Make) -> None:
    """Rows of one sample are repetitions; tokens and times stay."""
    results.import_files(folder, *reversed(changed({})))
    (run,) = results.read_runs(folder)

    assert run.model.slug.startswith("openai/example-model-")
    assert (run.model.name, run.samples, run.status) == ("example-model", 2, "completed")
    assert [a.outcome.value for a in run.attempts] == ["passed", "passed", "failed", "passed"]
    first = run.attempts[0].generation
    assert first is not None
    assert (first.tokens.input, first.tokens.output, first.cost_usd) == (7, 3, None)
    assert run.started_at is not None
    assert results.read_benchmarks(folder)[0].title == "sums · 2 samples · match:accuracy"
    assert check_data(folder) == []


def test_the_same_evaluation_makes_no_second_run(folder: DataFolder) -> None:
    """The id of an evaluation names its run."""
    results.import_files(folder, AGGREGATE, SAMPLES, passes_at=1)
    assert results.import_files(folder, AGGREGATE, SAMPLES, passes_at=1).known == 1


def test_one_file_alone_is_refused(folder: DataFolder) -> None:
    """Scores alone are no results, and samples alone have no model."""
    assert "no file has samples of sums/" in results.catch_refusal(folder, AGGREGATE)
    assert "no file is the aggregate of sums/" in results.catch_refusal(folder, SAMPLES)


def test_an_error_is_no_failure(folder: DataFolder, changed: Make) -> None:
    """A row with an error has no verdict, although the schema demands a verdict."""
    results.import_files(folder, *changed({"rows.0.error": "rate limit"}))
    first = results.read_runs(folder)[0].attempts[0]
    assert first.fault is not None
    assert (first.outcome.value, first.fault.evidence) == ("infrastructure", "rate limit")


def test_samples_without_a_row_were_not_run(folder: DataFolder, changed: Make) -> None:
    """The data set of the aggregate names samples that have no row."""
    sample_ids = ["1", "2", "3"]
    change = {"whole.evaluation_results.0.source_data.sample_ids": sample_ids}
    results.import_files(folder, *changed(change))
    assert results.read_outcomes(folder, results.read_runs(folder)[0])["sums 3"] == "not_run"


def test_a_mean_of_repetitions_is_no_verdict(folder: DataFolder) -> None:
    """The converter writes the mean of two answers on both rows, and calls both correct."""
    assert "line 2.evaluation.score: the score 0.5 is neither 0 nor 1" in results.catch_refusal(
        folder, AGGREGATE, SAMPLES
    )
    results.import_files(folder, AGGREGATE, SAMPLES, passes_at=0.6)
    assert results.read_outcomes(folder, results.read_runs(folder)[0]) == {
        "sums 1": "passed",
        "sums 2": "failed",
    }


def test_a_lower_score_that_is_better_passes_by_no_lowest_score(
    folder: DataFolder, changed: Make
) -> None:
    """An error rate of 1 is no pass."""
    paths = changed({"whole.evaluation_results.0.metric_config.lower_is_better": True})
    assert "lower_is_better: is not false" in results.catch_refusal(folder, *paths, passes_at=0.5)


def test_one_of_several_scores_must_be_named(folder: DataFolder, changed: Make) -> None:
    """Rows of two scores are two results of one answer."""

    def double(both: dict[str, Any]) -> None:
        both["rows"] += [row | {"evaluation_result_id": "match:strict"} for row in both["rows"]]

    paths = changed(double)
    assert "has several scores" in results.catch_refusal(folder, *paths)
    results.import_files(folder, *paths, score="match:strict")
    assert results.read_runs(folder)[0].samples == 2


WRONG: list[tuple[results.Change, str]] = [
    ({"whole.schema_version": "0.2.2"}, "schema_version: is 0.2.2"),
    ({"rows.1.schema_version": "1"}, "line 2.schema_version: is 1"),
    (
        {"whole.detailed_evaluation_results.checksum": "0" * 64},
        "detailed_evaluation_results.checksum: is not that",
    ),
    (
        {"whole.detailed_evaluation_results.total_rows": 9},
        "detailed_evaluation_results.total_rows: is 9, there are 4",
    ),
    (
        {"rows.2.evaluation.is_correct": "yes"},
        "line 3.evaluation.is_correct: is neither true nor false",
    ),
    (
        {"rows.2.evaluation.score": 10**400},
        "line 3.evaluation.score: is no number from -1000000000 to 1000000000",
    ),
]
"""Changes of the files, with the reasons for which they are refused then."""


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_wrong_files_are_refused_with_their_field(
    changed: Make, folder: DataFolder, change: results.Change, reason: str
) -> None:
    """The message names the line and the field, and nothing is written."""
    assert results.catch_refusal(folder, *changed(change)).startswith(reason)


def test_an_identity_that_is_no_text_is_that_of_no_score(folder: DataFolder, changed: Make) -> None:
    """An aggregate whose entries have lists for names describes none of the scores."""
    change = {"whole.evaluation_results.*.evaluation_result_id": [1]}
    results.import_files(folder, *changed(change))
    assert len(results.read_runs(folder)) == 1


def test_too_many_results_are_refused_and_never_dropped(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit of rows holds for the list of results without a verdict, too."""
    monkeypatch.setattr(files, "MOST_ROWS", 1)
    details = [[f"sample {number}", 1, "not_run", None, None] for number in range(2)]
    aggregate = json.loads((results.FILES / "eee-own.json").read_bytes())
    detailed = {"additional_details": {"without_verdict": json.dumps(details)}}
    aggregate["detailed_evaluation_results"] = detailed
    row = (results.FILES / "eee-own_samples.jsonl").read_bytes().partition(b"\n")[0]
    whole = folder.root.with_name("own.json")
    samples = folder.root.with_name("own_samples.jsonl")
    whole.write_text(json.dumps(aggregate))
    samples.write_bytes(row)
    assert results.catch_refusal(folder, whole, samples).endswith(
        "without_verdict: more than 1 rows"
    )


def test_an_export_of_this_program_comes_back_whole(folder: DataFolder) -> None:
    """Results without a verdict, repetitions, costs and times are those of the record."""
    results.import_files(
        folder, results.FILES / "eee-own.json", results.FILES / "eee-own_samples.jsonl"
    )
    (run,) = results.read_runs(folder)
    failed = run.attempts[1]

    assert [a.outcome.value for a in run.attempts] == [
        *("passed", "failed", "infrastructure", "passed", "failed", "not_run")
    ]
    assert [a.sample for a in run.attempts] == [1, 2, 1, 2, 1, 2]
    assert failed.reason == "test_rejects_bad_input failed"
    assert run.attempts[2].fault is not None
    assert run.attempts[2].fault.kind is FaultClass.BACKEND
    assert failed.generation is not None
    assert (failed.generation.cost_usd, failed.generation.duration_s) == (0.25, 1.5)
    assert failed.generation.tokens == Tokens(
        input=1000, cached_input=None, output=500, reasoning=100
    )
    assert failed.generation.reply_digest is not None
    assert failed.generation.cost_basis is CostBasis.ESTIMATED
    assert (run.started_at, run.finished_at) == (NOON, NOON)
    assert check_data(folder) == []
