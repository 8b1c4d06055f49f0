import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.foreign.files import FilePart, ForeignFile
from records.shapes.attempt import Outcome, TokensBasis
from runner.published_results.inspect_results import keep_sample
from tests.runner.published_results.results import (
    FILES,
    catch_refusal,
    find_attempt,
    import_files,
    read_benchmarks,
    read_outcomes,
    read_runs,
)

pytestmark = pytest.mark.unit

SUMS, PLAIN = FILES / "inspect-sums.eval", FILES / "inspect-sums.json"

Change = Callable[[dict[str, Any]], None]


def name_score(log: dict[str, Any]) -> None:
    """Give the only score of each sample a name that no record can hold."""
    for sample in log["samples"]:
        sample["scores"] = {"s" * 300: sample["scores"].pop("match")}


WRONG: Final[list[tuple[Change, str]]] = [
    (lambda log: log.update(status="paused"), "status: unknown status 'paused'"),
    (lambda log: log.update(samples=[]), "samples: there is none"),
    (
        lambda log: log["samples"][1]["scores"]["match"].update(value="X"),
        "samples.1.scores.match: unknown value 'X'",
    ),
    (
        lambda log: log["samples"][0].update(input="attachment://gone"),
        "samples.0: attachment://gone is not among its attachments",
    ),
    (lambda log: log["samples"][2].update(epoch=1), "mockllm/model, sums, sample 1: has two"),
    (lambda log: log["samples"][0].update(epoch=0), "samples.0: repetition"),
    (
        lambda log: log["samples"][0].update(total_time=-1, working_time=None),
        "samples.0.total_time: is no number from 0",
    ),
    (lambda log: log["eval"].update(model=""), "eval.model: is no text"),
    (lambda log: log["eval"].update(eval_id=[]), "eval.eval_id: is no text"),
    (lambda log: log["eval"].update(task="t" * 201), "samples.0: task: String should have"),
    (lambda log: log.update(status=[]), "status: unknown status []"),
    (lambda log: log["stats"].update(started_at="soon"), "stats.started_at: is no time"),
    (lambda log: log["stats"].update(completed_at="soon"), "stats.completed_at: is no time"),
    (
        lambda log: log.update(stats={}, eval=log["eval"] | {"created": "soon"}),
        "eval.created: is no time",
    ),
    (
        lambda log: log["stats"].update(completed_at="2026-01-01T00:00:00Z"),
        "eval: ends before it begins",
    ),
    (
        lambda log: log["samples"][0]["scores"]["match"].update(
            value=dict.fromkeys(map(str, range(1001)), 1)
        ),
        "samples.0.scores: more than 1000 values",
    ),
    (
        lambda log: log["eval"]["dataset"].update(sample_ids=list(range(5001))),
        "eval.dataset.sample_ids: has 5001 samples, the most are 5000",
    ),
    (name_score, "score: String should have at most 200 characters"),
]
"""Changes of a log, with the reasons for which it is refused then."""


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Change], Path]:
    """The maker of a changed copy of the JSON log."""

    def make(change: Change) -> Path:
        log = json.loads(PLAIN.read_bytes())
        change(log)
        path = tmp_path / "log.json"
        path.write_text(json.dumps(log))
        return path

    return make


def test_a_log_is_a_run_with_its_epochs(folder: DataFolder) -> None:
    """Epochs are repetitions, with verdicts, tokens and times; the answer is no reason."""
    import_files(folder, SUMS)
    (run,) = read_runs(folder)

    assert (run.model.slug, run.samples, run.status) == ("mockllm/model", 2, "completed")
    assert [a.outcome.value for a in run.attempts] == ["passed", "passed", "failed", "passed"]
    first = run.attempts[0].generation
    assert first is not None
    assert (first.tokens.input, first.tokens.output, first.cost_usd) == (7, 3, None)
    assert first.duration_s is not None
    assert run.attempts[2].reason is None
    assert run.started_at is not None
    assert run.finished_at is not None
    assert read_benchmarks(folder)[0].title == "sums · 2 samples · match"
    assert check_data(folder) == []


def test_archive_and_json_are_the_same_run(folder: DataFolder) -> None:
    """Inspect converts one into the other: the run is there once."""
    first = import_files(folder, SUMS)
    second = import_files(folder, PLAIN)

    assert (len(first.runs), len(second.runs), second.known) == (1, 0, 1)


def test_an_invalidated_sample_has_no_verdict(folder: DataFolder) -> None:
    """A verdict that was taken back in Inspect is taken back here, in the same run."""
    import_files(folder, SUMS)
    import_files(folder, FILES / "inspect-invalidated.eval")
    (run,) = read_runs(folder)

    assert [a.outcome.value for a in run.attempts] == [
        *("passed", "passed", "infrastructure", "passed")
    ]
    assert check_data(folder) == []


def test_a_killed_log_is_read_up_to_its_end(folder: DataFolder) -> None:
    """Samples that were not reached are not failures, and the run counts as given up."""
    import_files(folder, FILES / "inspect-killed.eval")
    (run,) = read_runs(folder)

    assert run.status == "aborted"
    assert read_outcomes(folder, run) == {"sums 1": "passed", "sums 2": "not_run"}
    assert check_data(folder) == []


def test_a_killed_log_belongs_to_the_benchmark_of_whole_logs(folder: DataFolder) -> None:
    """The content of a sample that was not reached is taken from the log that has it."""
    import_files(folder, FILES / "inspect-killed.eval", SUMS)

    assert len(read_benchmarks(folder)) == 1
    assert {run.status for run in read_runs(folder)} == {"aborted", "completed"}


def test_a_log_that_ended_in_an_error_blames_no_model(folder: DataFolder) -> None:
    """The faults of scorers and cancellations are infrastructure, with the message."""
    import_files(folder, FILES / "inspect-failing.eval")
    (run,) = read_runs(folder)

    assert read_outcomes(folder, run) == {
        "failing 1": "passed",
        "failing 2": "infrastructure",
        "failing broken": "infrastructure",
    }
    fault = find_attempt(folder, run, "failing broken").fault
    assert fault is not None
    assert "the scorer broke" in fault.evidence


REFUSED: Final = {"message": "AuthenticationError('no access')", "traceback": "…"}


def test_a_log_that_ended_before_any_score_is_a_run_that_was_given_up(
    changed: Callable[[Change], Path], folder: DataFolder
) -> None:
    """Its reason is with each sample, reached or not, and the version is that of whole logs."""

    def end_early(log: dict[str, Any]) -> None:
        log.update(status="error", error=REFUSED, samples=log["samples"][:1], results=None)
        log["samples"][0].update(scores=None)
        log["eval"]["eval_id"] = "one"

    def end_at_once(log: dict[str, Any]) -> None:
        log.update(status="error", error=REFUSED, samples=None, results=None)
        log["eval"]["eval_id"] = "another"

    import_files(folder, SUMS, changed(end_early))
    import_files(folder, SUMS, changed(end_at_once))
    whole, *ended = sorted(read_runs(folder), key=lambda run: run.status, reverse=True)
    assert [run.status for run in (whole, *ended)] == ["completed", "aborted", "aborted"]
    reasons = [
        attempt.fault.evidence if attempt.fault else attempt.reason
        for run in ended
        for attempt in run.attempts
    ]
    assert set(reasons) == {"the run ended in an error: AuthenticationError('no access')"}
    assert len(read_benchmarks(folder)) == 1
    assert check_data(folder) == []


def test_a_log_that_ended_before_its_first_sample_was_planned_is_refused(
    changed: Callable[[Change], Path], folder: DataFolder
) -> None:
    """Nothing can be recorded, so the message has the error."""

    def end(log: dict[str, Any]) -> None:
        log.update(status="error", error=REFUSED, samples=[])
        log["eval"].update(dataset={}, scorers=None)

    assert "AuthenticationError('no access')" in catch_refusal(folder, changed(end))


def test_one_of_several_scores_must_be_named(folder: DataFolder) -> None:
    """The message lists the scores; each chosen score is a version of its own."""
    log = FILES / "inspect-scored.eval"
    assert catch_refusal(folder, log) == (
        "scores: has several scores: name one of them by --score: match, graded"
    )
    assert "the score 0.5 is neither 0 nor 1" in catch_refusal(folder, log, score="graded")
    import_files(folder, log, score="match")
    import_files(folder, log, score="graded", passes_at=0.5)
    import_files(folder, log, score="graded", passes_at=0.6)

    verdicts = sorted(read_outcomes(folder, run)["scored 2"] for run in read_runs(folder))
    assert verdicts == ["failed", "passed", "passed"]
    assert len(read_benchmarks(folder)) == 3


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
    changed: Callable[[Change], Path], folder: DataFolder, value: object, outcome: Outcome
) -> None:
    """No answer is a failure; a sample without a score has no verdict."""

    def score(log: dict[str, Any]) -> None:
        log["samples"][0]["scores"]["match"]["value"] = value

    import_files(folder, changed(score))
    assert read_runs(folder)[0].attempts[0].outcome is outcome


def test_attachments_count_as_their_texts(
    changed: Callable[[Change], Path], folder: DataFolder
) -> None:
    """A long question that a log keeps apart is the same sample."""

    def keep_apart(log: dict[str, Any]) -> None:
        for sample in log["samples"]:
            if sample["id"] == 1:
                sample["attachments"] = {"abc": sample["input"]}
                sample["input"] = "attachment://abc"

    import_files(folder, SUMS)
    assert import_files(folder, changed(keep_apart)).known == 1


def test_tokens_that_no_provider_reported_are_unknown(
    changed: Callable[[Change], Path], folder: DataFolder
) -> None:
    """Inspect fills counts with 0, which would make the tokens of a run look measured."""

    def forget(log: dict[str, Any]) -> None:
        for sample in log["samples"]:
            usage = sample["model_usage"]["mockllm/model"]
            usage.update(input_tokens=0, output_tokens=0, total_tokens=0)

    import_files(folder, changed(forget))
    (run,) = read_runs(folder)
    assert {run.totals.tokens.input, run.totals.tokens.output} == {None}
    assert run.attempts[0].generation is not None
    assert run.attempts[0].generation.tokens_basis is TokensBasis.UNKNOWN


def test_solver_and_effort_are_variants_of_a_model(
    changed: Callable[[Change], Path], folder: DataFolder
) -> None:
    """Another effort is another row; other task arguments are another benchmark."""

    def with_effort(log: dict[str, Any]) -> None:
        log["eval"]["model_generate_config"] = {"reasoning_effort": "high", "extra_headers": {}}

    def with_arguments(log: dict[str, Any]) -> None:
        log["eval"]["task_args"] = {"level": 2}

    import_files(folder, SUMS)
    import_files(folder, changed(with_effort))
    import_files(folder, changed(with_arguments))
    runs = read_runs(folder)

    assert {run.model.name for run in runs} == {"model", "model (high)"}
    assert {benchmark.title for benchmark in read_benchmarks(folder)} == {
        "sums · 2 samples · match",
        "sums (level=2) · 2 samples · match",
    }
    (high,) = [run for run in runs if run.model.slug.startswith("mockllm/model-high-")]
    assert high.model.parameters == {"reasoning_effort": "high"}


def test_a_log_without_an_identity_is_known_by_its_results(
    changed: Callable[[Change], Path], folder: DataFolder
) -> None:
    """Two logs whose identities are null are two runs."""

    def forget(log: dict[str, Any]) -> None:
        log["eval"].update(eval_id=None, run_id=None)

    def forget_and_fail(log: dict[str, Any]) -> None:
        forget(log)
        log["samples"][0]["scores"]["match"]["value"] = "I"

    import_files(folder, changed(forget))
    import_files(folder, changed(forget_and_fail))
    assert len(read_runs(folder)) == 2
    assert import_files(folder, changed(forget)).known == 1


def test_questions_and_answers_are_not_read(folder: DataFolder) -> None:
    """A public folder of records makes no benchmark useless."""
    import_files(folder, SUMS)

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
    changed: Callable[[Change], Path], folder: DataFolder, explanation: object, reason: str | None
) -> None:
    """Scorers that compare texts repeat the answer; the explanations of others are reasons."""

    def explain(log: dict[str, Any]) -> None:
        answer = "The sum is 5, I think."
        for sample in log["samples"]:
            sample["attachments"] = {"abc": answer}
            sample["output"] = {"completion": "attachment://abc"}
            sample["scores"] = {"match": {"value": "I", "answer": "5", "explanation": explanation}}

    import_files(folder, changed(explain))
    assert {attempt.reason for attempt in read_runs(folder)[0].attempts} == {reason}


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
    changed: Callable[[Change], Path], folder: DataFolder
) -> None:
    """Another key does not make another benchmark, and stands in no name."""
    for key in ("hunter22", "hunter23"):

        def name_key(log: dict[str, Any], key: str = key) -> None:
            log["eval"]["task_args"] = {"api_key": key, "names": "x" * 150}

        import_files(folder, changed(name_key))
    assert len(read_benchmarks(folder)) == 1
    assert all("hunter" not in path.read_text() for path in folder.root.rglob("*.json"))


def test_benchmarks_whose_arguments_differ_at_the_end_are_two(
    changed: Callable[[Change], Path], folder: DataFolder
) -> None:
    """Long arguments are cut in the name; a digest keeps the benchmarks apart."""
    for end in "ab":

        def lengthen(log: dict[str, Any], end: str = end) -> None:
            log["eval"]["task_args"] = {"names": "x" * 150 + end}

        import_files(folder, changed(lengthen))
    assert len(read_benchmarks(folder)) == 2


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_a_wrong_log_is_refused_with_its_field(
    changed: Callable[[Change], Path], folder: DataFolder, change: Change, reason: str
) -> None:
    """The message names the sample and the field, and nothing is written."""
    assert catch_refusal(folder, changed(change)).startswith(reason)


def test_a_cut_archive_is_refused(tmp_path: Path, folder: DataFolder) -> None:
    """Half a file is named as such."""
    path = tmp_path / "cut.eval"
    path.write_bytes(SUMS.read_bytes()[:-200])
    assert "no whole ZIP file" in catch_refusal(folder, path, format_name="inspect")


def test_names_in_an_archive_lead_nowhere(tmp_path: Path, folder: DataFolder) -> None:
    """A member that names a path outside is read as a sample, if at all, and never written."""
    path = tmp_path / "log.eval"
    log = json.loads(PLAIN.read_bytes())
    samples = log.pop("samples")
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(log))
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/../../{number}.json", json.dumps(sample))
    path.write_bytes(packed.getvalue())
    import_files(folder, path)

    assert read_runs(folder)[0].samples == 2
    assert {each.name for each in tmp_path.iterdir()} == {"data", "log.eval"}
    shutil.rmtree(folder.root)
