import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.foreign.files import FilePart, ForeignFile
from records.shapes.attempt import Outcome, TokensBasis
from runner.published_results.inspect_results import keep_sample
from tests.runner.published_results import results
from tests.support.zips import pack_zip

pytestmark = pytest.mark.unit

SUMS, PLAIN = results.FILES / "inspect-sums.eval", results.FILES / "inspect-sums.json"

Make = Callable[[Path, results.Change], Path]
WRONG: list[tuple[results.Change, str]] = [
    ({"status": "paused"}, "status: unknown status 'paused'"),
    ({"samples": []}, "samples: there is none"),
    ({"samples.1.scores.match.value": "X"}, "samples.1.scores.match: unknown value 'X'"),
    (
        {"samples.0.input": "attachment://gone"},
        "samples.0: attachment://gone is not among its attachments",
    ),
    ({"samples.2.epoch": 1}, "mockllm/model, sums, sample 1: has two"),
    ({"samples.0.epoch": 0}, "samples.0: repetition"),
    ({"eval.model": ""}, "eval.model: is no text"),
    ({"eval.task": "t" * 201}, "samples.0: task: String should have"),
    ({"stats.completed_at": "2026-01-01T00:00:00Z"}, "eval: ends before it begins"),
    (
        {"samples.0.scores.match.value": dict.fromkeys(map(str, range(1001)), 1)},
        "samples.0.scores: more than 1000 values",
    ),
    (
        {"eval.dataset.sample_ids": list(range(5001))},
        "eval.dataset.sample_ids: has 5001 samples, the most are 5000",
    ),
    (
        {"samples.*.scores": {"s" * 300: {"value": "C"}}},
        "score: String should have at most 200 characters",
    ),
]
"""Changes of a log, with the reasons for which it is refused then."""


def test_a_log_is_a_run_with_its_epochs(folder: DataFolder) -> None:
    """Epochs are repetitions, with verdicts, tokens and times; the answer is no reason."""
    results.import_files(folder, SUMS)
    (run,) = results.read_runs(folder)

    assert (run.model.slug, run.samples, run.status) == ("mockllm/model", 2, "completed")
    assert [a.outcome.value for a in run.attempts] == ["passed", "passed", "failed", "passed"]
    first = run.attempts[0].generation
    assert first is not None
    assert (first.tokens.input, first.tokens.output, first.cost_usd) == (7, 3, None)
    assert first.duration_s is not None
    assert run.attempts[2].reason is None
    assert run.started_at is not None
    assert run.finished_at is not None
    assert results.read_benchmarks(folder)[0].title == "sums · 2 samples · match"
    assert check_data(folder) == []


def test_archive_and_json_are_the_same_run(folder: DataFolder) -> None:
    """Inspect converts one into the other: the run is there once."""
    first = results.import_files(folder, SUMS)
    second = results.import_files(folder, PLAIN)

    assert (len(first.runs), len(second.runs), second.known) == (1, 0, 1)


def test_an_invalidated_sample_has_no_verdict(folder: DataFolder) -> None:
    """A verdict that was taken back in Inspect is taken back here, in the same run."""
    results.import_files(folder, SUMS)
    results.import_files(folder, results.FILES / "inspect-invalidated.eval")
    (run,) = results.read_runs(folder)

    assert [a.outcome.value for a in run.attempts] == [
        *("passed", "passed", "infrastructure", "passed")
    ]
    assert check_data(folder) == []


def test_a_killed_log_is_read_up_to_its_end(folder: DataFolder) -> None:
    """Samples that were not reached are not failures, and the run counts as given up."""
    results.import_files(folder, results.FILES / "inspect-killed.eval")
    (run,) = results.read_runs(folder)

    assert run.status == "aborted"
    assert results.read_outcomes(folder, run) == {"sums 1": "passed", "sums 2": "not_run"}
    assert check_data(folder) == []


def test_a_killed_log_belongs_to_the_benchmark_of_whole_logs(folder: DataFolder) -> None:
    """The content of a sample that was not reached is taken from the log that has it."""
    results.import_files(folder, results.FILES / "inspect-killed.eval", SUMS)

    assert len(results.read_benchmarks(folder)) == 1
    assert {run.status for run in results.read_runs(folder)} == {"aborted", "completed"}


def test_a_log_that_ended_in_an_error_blames_no_model(folder: DataFolder) -> None:
    """The faults of scorers and cancellations are infrastructure, with the message."""
    results.import_files(folder, results.FILES / "inspect-failing.eval")
    (run,) = results.read_runs(folder)

    assert results.read_outcomes(folder, run) == {
        "failing 1": "passed",
        "failing 2": "infrastructure",
        "failing broken": "infrastructure",
    }
    fault = results.find_attempt(folder, run, "failing broken").fault
    assert fault is not None
    assert "the scorer broke" in fault.evidence


REFUSED = {"message": "AuthenticationError('no access')", "traceback": "…"}


def test_a_log_that_ended_before_any_score_is_a_run_that_was_given_up(
    changed: Make, folder: DataFolder
) -> None:
    """Its reason is with each sample, reached or not, and the version is that of whole logs."""
    ended_in_error = {"status": "error", "error": REFUSED, "results": None}
    sample = json.loads(PLAIN.read_bytes())["samples"][0] | {"scores": None}
    for identity, samples in (("one", [sample]), ("another", None)):
        change = {"samples": samples, "eval.eval_id": identity, **ended_in_error}
        results.import_files(folder, SUMS, changed(PLAIN, change))
    whole, *ended = sorted(results.read_runs(folder), key=lambda run: run.status, reverse=True)
    assert [run.status for run in (whole, *ended)] == ["completed", "aborted", "aborted"]
    reasons = [
        attempt.fault.evidence if attempt.fault else attempt.reason
        for run in ended
        for attempt in run.attempts
    ]
    assert set(reasons) == {"the run ended in an error: AuthenticationError('no access')"}
    assert len(results.read_benchmarks(folder)) == 1
    assert check_data(folder) == []


def test_a_log_that_ended_before_its_first_sample_was_planned_is_refused(
    changed: Make, folder: DataFolder
) -> None:
    """Nothing can be recorded, so the message has the error."""
    nothing: dict[str, object] = {"samples": [], "eval.dataset": {}, "eval.scorers": None}
    path = changed(PLAIN, {"status": "error", "error": REFUSED, **nothing})
    assert "AuthenticationError('no access')" in results.catch_refusal(folder, path)


def test_one_of_several_scores_must_be_named(folder: DataFolder) -> None:
    """The message lists the scores; each chosen score is a version of its own."""
    log = results.FILES / "inspect-scored.eval"
    assert results.catch_refusal(folder, log) == (
        "scores: has several scores: name one of them by --score: match, graded"
    )
    assert "the score 0.5 is neither 0 nor 1" in results.catch_refusal(folder, log, score="graded")
    results.import_files(folder, log, score="match")
    results.import_files(folder, log, score="graded", passes_at=0.5)
    results.import_files(folder, log, score="graded", passes_at=0.6)

    verdicts = sorted(
        results.read_outcomes(folder, run)["scored 2"] for run in results.read_runs(folder)
    )
    assert verdicts == ["failed", "passed", "passed"]
    assert len(results.read_benchmarks(folder)) == 3


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ("C", Outcome.PASSED),
        ("I", Outcome.FAILED),
        ("N", Outcome.FAILED),
        (True, Outcome.PASSED),
        (0, Outcome.FAILED),
        (float("nan"), Outcome.INFRASTRUCTURE),
        (None, Outcome.INFRASTRUCTURE),
    ],
)
def test_the_values_of_scorers(
    changed: Make, folder: DataFolder, value: object, outcome: Outcome
) -> None:
    """No answer is a failure; a sample without a score has no verdict."""
    results.import_files(folder, changed(PLAIN, {"samples.0.scores.match.value": value}))
    assert results.read_runs(folder)[0].attempts[0].outcome is outcome


def test_attachments_count_as_their_texts(changed: Make, folder: DataFolder) -> None:
    """A long question that a log keeps apart is the same sample."""

    def keep_apart(log: dict[str, Any]) -> None:
        for sample in log["samples"]:
            if sample["id"] == 1:
                sample["attachments"] = {"abc": sample["input"]}
                sample["input"] = "attachment://abc"

    results.import_files(folder, SUMS)
    assert results.import_files(folder, changed(PLAIN, keep_apart)).known == 1


def test_tokens_that_no_provider_reported_are_unknown(changed: Make, folder: DataFolder) -> None:
    """Inspect fills counts with 0, which would make the tokens of a run look measured."""
    zeros = dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), 0)
    results.import_files(folder, changed(PLAIN, {"samples.*.model_usage.mockllm/model": zeros}))
    (run,) = results.read_runs(folder)
    assert {run.totals.tokens.input, run.totals.tokens.output} == {None}
    assert run.attempts[0].generation is not None
    assert run.attempts[0].generation.tokens_basis is TokensBasis.UNKNOWN


def test_solver_and_effort_are_variants_of_a_model(changed: Make, folder: DataFolder) -> None:
    """Another effort is another row; other task arguments are another benchmark."""
    settings: dict[str, object] = {"reasoning_effort": "high", "extra_headers": {}}
    results.import_files(folder, SUMS)
    results.import_files(folder, changed(PLAIN, {"eval.model_generate_config": settings}))
    results.import_files(folder, changed(PLAIN, {"eval.task_args": {"level": 2}}))
    runs = results.read_runs(folder)

    assert {run.model.name for run in runs} == {"model", "model (high)"}
    assert {benchmark.title for benchmark in results.read_benchmarks(folder)} == {
        "sums · 2 samples · match",
        "sums (level=2) · 2 samples · match",
    }
    (high,) = [run for run in runs if run.model.slug.startswith("mockllm/model-high-")]
    assert high.model.parameters == {"reasoning_effort": "high"}


def test_a_log_without_an_identity_is_known_by_its_results(
    changed: Make, folder: DataFolder
) -> None:
    """Two logs whose identities are null are two runs."""
    nameless = {"eval.eval_id": None, "eval.run_id": None}
    results.import_files(folder, changed(PLAIN, nameless))
    results.import_files(folder, changed(PLAIN, {**nameless, "samples.0.scores.match.value": "I"}))
    assert len(results.read_runs(folder)) == 2
    assert results.import_files(folder, changed(PLAIN, nameless)).known == 1


def test_questions_and_answers_are_not_read(folder: DataFolder) -> None:
    """A public folder of records makes no benchmark useless."""
    results.import_files(folder, SUMS)

    assert all("1 + 1" not in path.read_text() for path in folder.root.rglob("*.json"))


@pytest.mark.parametrize(
    ("explanation", "reason"),
    [
        ("The sum is 5, I think.", None),
        ("The sum is 5", None),
        ("attachment://abc", None),
        ("5", None),
        ("", None),
        ("attachment://gone", None),
        (["The sum is 5, I think."], None),
        ("the answer is not 4", "the answer is not 4"),
    ],
)
def test_an_explanation_that_is_the_answer_is_no_reason(
    changed: Make, folder: DataFolder, explanation: object, reason: str | None
) -> None:
    """Scorers that compare texts repeat the answer; the explanations of others are reasons."""
    change = {
        "samples.*.attachments": {"abc": "The sum is 5, I think."},
        "samples.*.output": {"completion": "attachment://abc"},
        "samples.*.scores.match": {"value": "I", "answer": "5", "explanation": explanation},
    }
    results.import_files(folder, changed(PLAIN, change))
    assert {attempt.reason for attempt in results.read_runs(folder)[0].attempts} == {reason}


def test_only_the_facts_of_a_sample_stay_in_memory() -> None:
    """Conversations and events of an archive would take a thousand times its bytes."""
    log = json.loads(PLAIN.read_bytes())
    file = ForeignFile(PLAIN, b"", str)
    sample = log["samples"][2]
    for name in sample:
        if name not in {"id", "epoch", "scores", "model_usage", "limit", "error"}:
            sample[name] = None if name.endswith("_time") else {"kept": "apart"}
    sample["scores"]["match"]["metadata"] = {"kept": "apart"}
    sample["scores"]["listed"] = {"value": ["kept" * 1000]}
    sample["output"] = {"completion": "kept"}
    facts = repr(keep_sample(FilePart(file, "sample", sample), "mockllm/model"))
    assert "apart" not in facts
    assert len(facts) < 2_000


def test_benchmarks_whose_arguments_differ_in_secrets_are_one(
    changed: Make, folder: DataFolder
) -> None:
    """Another key does not make another benchmark, and stands in no name."""
    for key in ("hunter22", "hunter23"):
        arguments = {"api_key": key, "names": "x" * 150}
        results.import_files(folder, changed(PLAIN, {"eval.task_args": arguments}))
    assert len(results.read_benchmarks(folder)) == 1
    assert all("hunter" not in path.read_text() for path in folder.root.rglob("*.json"))


def test_benchmarks_whose_arguments_differ_at_the_end_are_two(
    changed: Make, folder: DataFolder
) -> None:
    """Long arguments are cut in the name; a digest keeps the benchmarks apart."""
    for end in "ab":
        results.import_files(folder, changed(PLAIN, {"eval.task_args": {"names": "x" * 150 + end}}))
    assert len(results.read_benchmarks(folder)) == 2


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_a_wrong_log_is_refused_with_its_field(
    changed: Make, folder: DataFolder, change: results.Change, reason: str
) -> None:
    """The message names the sample and the field, and nothing is written."""
    assert results.catch_refusal(folder, changed(PLAIN, change)).startswith(reason)


def test_a_cut_archive_is_refused(tmp_path: Path, folder: DataFolder) -> None:
    """Half a file is named as such."""
    path = tmp_path / "cut.eval"
    path.write_bytes(SUMS.read_bytes()[:-200])
    assert "no whole ZIP file" in results.catch_refusal(folder, path, format_name="inspect")


def test_names_in_an_archive_lead_nowhere(tmp_path: Path, folder: DataFolder) -> None:
    """A member that names a path outside is read as a sample, if at all, and never written."""
    path = tmp_path / "log.eval"
    log = json.loads(PLAIN.read_bytes())
    samples = log.pop("samples")
    members = {f"samples/../../{number}.json": sample for number, sample in enumerate(samples)}
    members["header.json"] = log
    path.write_bytes(pack_zip(*((name, json.dumps(each)) for name, each in members.items())))
    results.import_files(folder, path)

    assert results.read_runs(folder)[0].samples == 2
    assert {each.name for each in tmp_path.iterdir()} == {"data", "log.eval"}
    shutil.rmtree(folder.root)
