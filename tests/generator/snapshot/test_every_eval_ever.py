"""Runs in the format of Every Eval Ever: valid by its schemas, the same each time, nothing lost."""

import json
import re
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from generator.read.run_summaries import summarize_run
from generator.snapshot.every_eval_ever import RunDocuments, run_documents
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes import attempt
from records.shapes.run import Run, Withdrawal
from records.suites.canary import GUID
from tests.generator.contexts import gather_published_site
from tests.records.examples import (
    NOON,
    make_attempt,
    make_eval_name,
    make_generation,
    make_imported,
    make_run,
    with_attempts,
)

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
SCHEMAS = Path(__file__).parent / "every_eval_ever_schemas"
PATH = re.compile(
    r"data/[a-z0-9-]+/[a-z0-9._-]+/[a-z0-9._-]+/"
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(\.json|_samples\.jsonl)"
)


@cache
def load_validator(name: str) -> Draft7Validator:
    """A published schema."""
    return Draft7Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")))


def export_run(record: Run) -> RunDocuments:
    """Both files of a run, over the published site's settings."""
    site = gather_published_site()
    documents = run_documents(site, summarize_run(record), record)
    assert documents is not None
    return documents


def parse_rows(documents: RunDocuments) -> list[dict[str, Any]]:
    """The lines of the attempts, each read."""
    return [json.loads(line) for line in documents.samples.decode().splitlines()]


def make_record(*attempts: attempt.Attempt) -> Run:
    """A run with these attempts."""
    planned = tuple(sorted({each.eval for each in attempts}))
    samples = max(each.sample for each in attempts)
    return with_attempts(make_run(), attempts, planned=planned, samples=samples)


def test_all_published_runs_are_valid() -> None:
    """Every published run that counts for anybody passes both schemas, and both files agree."""
    site = gather_published_site()
    exports = 0
    for path in DataFolder(ROOT / "data").list_run_files():
        record = read_run(path)
        documents = run_documents(site, site.runs[record.run_id], record)
        if documents is None:
            assert record.withdrawn is not None or not site.runs[record.run_id].tally.judged
            continue
        exports += 1
        aggregate, rows = json.loads(documents.aggregate), parse_rows(documents)
        faults = [*load_validator("eval").iter_errors(aggregate)]  # pyright: ignore[reportUnknownMemberType] - a package without types
        for row in rows:
            faults += load_validator("instance_level_eval").iter_errors(row)  # pyright: ignore[reportUnknownMemberType] - see above
        assert faults == []
        listed = aggregate["detailed_evaluation_results"]
        assert listed["total_rows"] == len(rows) == site.runs[record.run_id].tally.judged
        assert listed["checksum"] == sha256(documents.samples).hexdigest()
        assert listed["file_path"] == documents.identity.samples_path
        assert PATH.fullmatch(documents.identity.samples_path)
        assert PATH.fullmatch(documents.identity.aggregate_path)
        assert {row["evaluation_id"] for row in rows} == {aggregate["evaluation_id"]}
        assert {row["model_id"] for row in rows} == {aggregate["model_info"]["id"]}
    assert exports > 40


def test_identities_follow_from_the_record() -> None:
    """Two exports are the same bytes; the file's name is a UUID of version 4; no two runs share it.

    The time is that of the run's end.
    """
    first, again = export_run(make_run()), export_run(make_run())
    other = export_run(make_run("b" * 32))
    assert first == again
    assert UUID(first.identity.uuid).version == 4
    assert other.identity.uuid != first.identity.uuid
    assert other.identity.evaluation_id != first.identity.evaluation_id
    assert json.loads(first.aggregate)["retrieved_timestamp"] == str(int(NOON.timestamp()))


def test_of_a_day_the_midnight_is_meant() -> None:
    """A run with a day and no time has the midnight of that day, and a note about it."""
    record = make_run(started_at=None, finished_at=None)
    aggregate = json.loads(export_run(record).aggregate)
    midnight = datetime(2026, 11, 21, tzinfo=UTC)
    assert aggregate["retrieved_timestamp"] == str(int(midnight.timestamp()))
    assert "midnight" in aggregate["source_metadata"]["additional_details"]["timestamp_is"]


def test_attempts_without_a_verdict_are_counted_and_have_no_line() -> None:
    """Infrastructure and attempts that were not run are neither right nor wrong, but listed."""
    ends = (attempt.Outcome.PASSED, attempt.Outcome.INFRASTRUCTURE, attempt.Outcome.FAILED)
    attempts = [
        make_attempt(make_eval_name(number), outcome=end) for number, end in enumerate(ends)
    ]
    unreached = make_attempt(make_eval_name(3), outcome=attempt.Outcome.NOT_RUN)
    documents = export_run(make_record(*attempts, unreached))
    aggregate = json.loads(documents.aggregate)
    overall = aggregate["evaluation_results"][0]
    assert overall["score_details"]["score"] == 0.5
    assert overall["score_details"]["details"] == {
        "planned": "4",
        "samples": "1",
        "passed": "1",
        "failed": "1",
        "spoiled": "1",
        "not_run": "1",
        "scored": "2",
    }
    assert [row["evaluation"]["is_correct"] for row in parse_rows(documents)] == [True, False]
    listed = aggregate["detailed_evaluation_results"]["additional_details"]["without_verdict"]
    assert json.loads(listed) == [
        [make_eval_name(1), 1, "infrastructure", "backend", "it said so"],
        [make_eval_name(3), 1, "not_run", None, None],
    ]


def test_tokens_are_whole_or_null() -> None:
    """Where the input is not known, the object is null, and the known output is a detail."""
    tokens = attempt.Tokens(input=None, cached_input=None, output=500, reasoning=None)
    whole = make_attempt(make_eval_name(0))
    partial = make_attempt(make_eval_name(1), generation=make_generation(tokens=tokens))
    rows = parse_rows(export_run(make_record(whole, partial)))
    assert rows[0]["token_usage"]["total_tokens"] == 1500
    assert rows[0]["token_usage"]["reasoning_tokens"] == 100
    assert rows[1]["token_usage"] is None
    assert rows[1]["metadata"]["output_tokens"] == "500"
    assert "input_tokens" not in rows[1]["metadata"]


def test_conditions_and_levels_are_kept_apart() -> None:
    """Results with and without guidelines have other names; lines belong to the overall score."""
    experiment = make_run().experiment.model_copy(update={"name": "no_guidelines"})
    names = [
        json.loads(export_run(record).aggregate)["evaluation_results"][0]["evaluation_name"]
        for record in (make_run(), make_run(experiment=experiment))
    ]
    assert names[0].endswith("/default")
    assert names[1].endswith("/no_guidelines")
    documents = export_run(make_run())
    results = json.loads(documents.aggregate)["evaluation_results"]
    ids = [result["evaluation_result_id"] for result in results]
    assert len(set(ids)) == len(ids) == 2  # overall and one category
    assert {row["evaluation_result_id"] for row in parse_rows(documents)} == {ids[0]}


def test_an_attributed_score_is_a_result_of_its_own() -> None:
    """A published run with a report has both scores, under two metrics; the second is not lower."""
    site = gather_published_site()
    withdrawn = {run.run_id for run in site.summaries.runs if run.head.withdrawn is not None}
    reported = next(name for name in site.reports if name in site.runs.keys() - withdrawn)
    summary = site.runs[reported]
    record = read_run(DataFolder(ROOT / "data").get_run_file(summary.slug, reported))
    documents = run_documents(site, summary, record)
    assert documents is not None
    results = json.loads(documents.aggregate)["evaluation_results"]
    by_metric = {result["metric_config"]["metric_id"]: result for result in results}
    scores = [results[0], by_metric["attributed_pass_rate"]]
    assert scores[0]["score_details"]["score"] <= scores[1]["score_details"]["score"]
    assert scores[0]["evaluation_result_id"] != scores[1]["evaluation_result_id"]


def test_licence_and_canary_come_along_and_no_solutions() -> None:
    """The file of scores names licence and canary; no line holds a task or an answer."""
    documents = export_run(make_run())
    details = json.loads(documents.aggregate)["source_metadata"]["additional_details"]
    assert details["licence"] == "Apache-2.0"
    assert GUID in details["canary"]
    for row in parse_rows(documents):
        assert row["output"] == {"raw": []}
        assert row["input"]["raw"].startswith("https://")


def test_a_withdrawn_run_is_left_out() -> None:
    """Nobody else's store gets a run that does not count any more."""
    site, withdrawal = gather_published_site(), Withdrawal(by="somebody", reason="a wrong grader")
    record = make_run(withdrawn=withdrawal)
    assert run_documents(site, summarize_run(record), record) is None


def test_an_imported_run_names_its_publisher() -> None:
    """An imported run has no library of ours, and names its source."""
    imported = make_imported(source="owner/name@0123456:reports/x.md")
    record = make_run(harness=None, provenance=imported)
    aggregate = json.loads(export_run(record).aggregate)
    assert aggregate["eval_library"] == {"name": "unknown", "version": "unknown"}
    details = aggregate["source_metadata"]["additional_details"]
    assert details["imported_from"] == "owner/name@0123456:reports/x.md"


REASONS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
COUNTS = st.none() | st.integers(0, 10**6)
SECONDS = st.floats(0, 10**6, allow_nan=False)


@st.composite
def generations(draw: st.DrawFn) -> attempt.Generation:
    """A reply with tokens, times and costs that are known or not."""
    tokens = attempt.Tokens(
        input=draw(COUNTS), cached_input=draw(COUNTS), output=draw(COUNTS), reasoning=draw(COUNTS)
    )
    known = set(dict(tokens).values()) != {None}
    return make_generation(
        draw(st.none() | st.floats(0, 100)),
        tokens=tokens,
        tokens_basis=attempt.TokensBasis.REPORTED if known else attempt.TokensBasis.UNKNOWN,
        duration_s=draw(SECONDS),
        time_to_first_token_s=draw(st.none() | SECONDS),
        tries=draw(st.integers(1, 9)),
        finish_reason=draw(st.none() | REASONS),
    )


@st.composite
def verdicts(draw: st.DrawFn) -> attempt.Attempt:
    """An attempt as another program publishes it: an end, a reason, a reply; no steps."""
    end = draw(st.sampled_from(sorted(attempt.JUDGED)))
    failed = end is attempt.Outcome.FAILED
    step = draw(st.none() | st.sampled_from(list(attempt.StepName))) if failed else None
    return make_attempt(
        make_eval_name(draw(st.integers(0, 20))),
        draw(st.integers(1, 3)),
        end,
        steps=None,
        tests=None,
        failed_step=step,
        reason=draw(st.none() | REASONS) if failed else None,
        generation=draw(st.none() | generations()),
    )


def read_back(row: dict[str, Any]) -> tuple[object, ...]:
    """The facts in a line, as an importer finds them."""
    details: dict[str, str] = row["metadata"]
    usage: dict[str, int | None] = row["token_usage"] or {}
    exact: dict[str, str] = row["performance"]["additional_details"] if row["performance"] else {}

    def parse_figure(text: str | None) -> float | None:
        return None if text is None else json.loads(text)

    def read_tokens(name: str) -> float | None:
        return usage[name] if name in usage else parse_figure(details.get(name))

    cached = usage.get("input_tokens_cache_read")
    return (
        row["sample_id"],
        int(details["sample"]),
        row["evaluation"]["is_correct"],
        details.get("failed_step"),
        details.get("reason"),
        parse_figure(exact.get("duration_s")),
        parse_figure(exact.get("time_to_first_token_s")),
        parse_figure(details.get("tries")),
        details.get("finish_reason"),
        parse_figure(details.get("cost_usd")),
        read_tokens("input_tokens"),
        read_tokens("output_tokens"),
        cached if usage else parse_figure(details.get("cached_input_tokens")),
        read_tokens("reasoning_tokens"),
    )


def select_facts(made: attempt.Attempt) -> tuple[object, ...]:
    """The same facts of an attempt."""
    reply = made.generation
    counts = reply.tokens if reply else None
    return (
        made.eval,
        made.sample,
        made.outcome is attempt.Outcome.PASSED,
        made.failed_step,
        made.reason,
        reply and reply.duration_s,
        reply and reply.time_to_first_token_s,
        reply and reply.tries,
        reply and reply.finish_reason,
        reply and reply.cost_usd,
        counts and counts.input,
        counts and counts.output,
        counts and counts.cached_input,
        counts and counts.reasoning,
    )


@given(
    st.lists(verdicts(), min_size=1, max_size=6, unique_by=lambda made: (made.eval, made.sample))
)
def test_no_fact_of_a_line_is_lost(attempts: list[attempt.Attempt]) -> None:
    """Read back, lines give the attempts again, exactly: ends, reasons, times, tokens, costs.

    Reasons hold any letters, such as those at which some readers split lines.
    """
    ordered = sorted(attempts, key=lambda made: (made.eval, made.sample))
    rows = parse_rows(export_run(make_record(*ordered)))
    assert [read_back(row) for row in rows] == [select_facts(each) for each in ordered]
    for row in rows:
        load_validator("instance_level_eval").validate(row)  # pyright: ignore[reportUnknownMemberType] - see above
