import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from tests.runner.published_results.results import (
    FILES,
    GONE,
    Change,
    catch_refusal,
    change_json,
    import_files,
    read_benchmarks,
    read_outcomes,
    read_runs,
)

pytestmark = pytest.mark.unit

Make = Callable[[Change], list[Path]]


@pytest.fixture
def original(tmp_path: Path) -> list[Path]:
    """Copies of the results and of the samples of two tasks."""
    shutil.copytree(FILES / "lm-eval", tmp_path / "out")
    return sorted((tmp_path / "out").iterdir())


@pytest.fixture
def changed(original: list[Path]) -> Make:
    """The maker of changed copies; rows are given by their task."""

    def make(change: Change) -> list[Path]:
        whole, *samples = original
        results = json.loads(whole.read_bytes())
        rows = {
            path.name.split("_")[3]: [json.loads(line) for line in path.read_text().splitlines()]
            for path in samples
        }
        change_json({"results": results, "rows": rows}, change)
        whole.write_text(json.dumps(results))
        for path in samples:
            each = rows[path.name.split("_")[3]]
            path.write_text("".join(f"{json.dumps(row)}\n" for row in each))
        return original

    return make


STRICT = "exact_match,strict"


def test_tasks_are_categories_of_one_benchmark(folder: DataFolder, original: list[Path]) -> None:
    """Two tasks, each by its own score; documents of equal content are two samples."""
    import_files(folder, *original, score=STRICT)
    (run,) = read_runs(folder)
    (benchmark,) = read_benchmarks(folder)

    assert (run.model.slug, run.status, run.samples) == ("not-named/dummy", "completed", 1)
    assert benchmark.title == (
        "made_up_choices, made_up_sums · 6 samples · acc,none and exact_match,strict"
    )
    assert {name.partition("/")[0] for name in benchmark.evals} == {
        "000-made_up_choices",
        "001-made_up_sums",
    }
    assert read_outcomes(folder, run) == {
        "made_up_choices 0": "passed",
        "made_up_choices 1": "passed",
        "made_up_choices 2": "failed",
        "made_up_sums 0": "failed",
        "made_up_sums 1": "failed",
        "made_up_sums 2": "passed",
    }
    assert run.started_at is not None
    assert run.totals.cost_known_for == 0
    assert check_data(folder) == []


def test_one_of_several_filters_must_be_named(folder: DataFolder, original: list[Path]) -> None:
    """Each filter is another version, for it judges in another way."""
    reason = catch_refusal(folder, *original)
    assert "made_up_sums: has several scores: name one of them by --score" in reason
    import_files(folder, *original, score=STRICT)
    import_files(folder, *original, score="exact_match,digits")

    assert len(read_benchmarks(folder)) == 2


def test_documents_are_paired_by_hash(folder: DataFolder, changed: Make) -> None:
    """Another order of the documents, and another prompt, are the same benchmark."""

    def shuffle(everything: dict[str, Any]) -> None:
        everything["results"]["date"] += 100
        rows = everything["rows"]["sums"]
        rows.reverse()
        for number, row in enumerate(rows):
            row.update(doc_id=number, prompt_hash="of another chat template")

    import_files(folder, *sorted((FILES / "lm-eval").iterdir()), score=STRICT)
    import_files(folder, *changed(shuffle), score=STRICT)
    first, second = read_runs(folder)

    assert first.benchmark_version == second.benchmark_version
    assert [a.outcome for a in first.attempts] == [a.outcome for a in second.attempts]


def test_another_number_of_examples_is_another_benchmark(folder: DataFolder, changed: Make) -> None:
    """Five examples in the prompt make a task easier."""
    import_files(folder, *sorted((FILES / "lm-eval").iterdir()), score=STRICT)
    import_files(folder, *changed({"results.n-shot.made_up_sums": 5}), score=STRICT)
    assert len(read_benchmarks(folder)) == 2


def test_the_same_results_make_no_second_run(folder: DataFolder, original: list[Path]) -> None:
    """The time at which a run began names it."""
    import_files(folder, *original, score=STRICT)
    assert import_files(folder, *reversed(original), score=STRICT).known == 1


def test_the_model_is_that_of_its_arguments(folder: DataFolder, changed: Make) -> None:
    """`hf` is a kind of model, `model_name` the model itself."""
    change = {
        "results.config.model": "hf",
        "results.config.model_args": "pretrained=EleutherAI/pythia-160m",
        "results.model_name": "EleutherAI/pythia-160m",
    }
    import_files(folder, *changed(change), score=STRICT)
    assert read_runs(folder)[0].model.slug == "eleutherai/pythia-160m"


def test_samples_must_be_named_with_their_results(folder: DataFolder, original: list[Path]) -> None:
    """Neither half is imported alone."""
    whole, choices, sums = original
    for paths, reason in (
        ([whole, choices], "n-samples.made_up_sums: its samples are not among the files"),
        ([sums], "belongs to no results_DATE.json"),
    ):
        assert reason in catch_refusal(folder, *paths, score=STRICT)


def test_equal_names_in_two_folders_stay_apart(
    folder: DataFolder, original: list[Path], tmp_path: Path
) -> None:
    """Each results file has the samples beside it, even if other samples have the same name."""
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "out", other)
    whole, _, sums = sorted(other.iterdir())
    results = json.loads(whole.read_bytes())
    results["date"] += 100
    whole.write_text(json.dumps(results))
    rows = [json.loads(line) for line in sums.read_text().splitlines()]
    for row in rows:
        row["exact_match"] = 1.0
    sums.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    import_files(folder, *original, *sorted(other.iterdir()), score=STRICT)
    passed = sorted(
        list(read_outcomes(folder, run).values()).count("passed") for run in read_runs(folder)
    )
    assert passed == [3, 5]


def test_samples_of_equal_names_elsewhere_are_refused(
    folder: DataFolder, original: list[Path], tmp_path: Path
) -> None:
    """Which of two files belongs to the results is not guessed; copies are the same file."""
    whole, choices, sums = original
    copies = [tmp_path / name / sums.name for name in ("one", "two")]
    for copy in copies:
        copy.parent.mkdir()
        shutil.copy(sums, copy)
    with copies[1].open("a") as file:
        file.write("\n")
    assert f"several files are named {sums.name}" in catch_refusal(
        folder, whole, choices, *copies, score=STRICT
    )
    shutil.copy(copies[0], copies[1])
    import_files(folder, whole, choices, *copies, score=STRICT)


WRONG: list[tuple[Change, str]] = [
    ({"rows.sums.-1": GONE}, "n-samples.made_up_sums.effective: is 3"),
    ({"rows.sums.0.exact_match": "N/A"}, "line 1.exact_match: 'N/A' is no number"),
    (
        {"rows.sums.0.exact_match": 0.3},
        "line 1.exact_match: the score 0.3 is neither 0 nor 1",
    ),
    (
        {"results.higher_is_better.made_up_sums.exact_match": False},
        "higher_is_better.made_up_sums.exact_match: is false",
    ),
]
"""Changes of the files, with the reasons for which they are refused then."""


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_wrong_files_are_refused_with_their_field(
    changed: Make, folder: DataFolder, change: Change, reason: str
) -> None:
    """The message names the line and the field, and nothing is written."""
    score = "exact_match,digits" if "effective" in reason else STRICT
    assert catch_refusal(folder, *changed(change), score=score).startswith(reason)


def test_an_unknown_score_is_refused(folder: DataFolder, original: list[Path]) -> None:
    """The message lists the scores of the task that has several."""
    reason = catch_refusal(folder, *original, score="bleu")
    assert "has no score 'bleu'; there are: exact_match,strict, exact_match,digits" in reason
