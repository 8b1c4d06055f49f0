import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.files.name_patterns import MODEL_SLUG
from runner.published_results.board_records import name_model
from runner.published_results.promptfoo_results import name_providers
from tests.runner.published_results import results

pytestmark = pytest.mark.unit

SUMS = results.FILES / "promptfoo-sums.json"

Make = Callable[[Path, results.Change], Path]
ROW = "results.results.0"


def test_providers_and_prompts_are_rows(folder: DataFolder) -> None:
    """Three providers with two prompts are six runs of one benchmark."""
    results.import_files(folder, SUMS)
    runs = results.read_runs(folder)

    assert sorted(run.model.name for run in runs) == [
        "broken (Answer shortly: {{question}})",
        "broken ({{question}})",
        "echo (Answer shortly: {{question}})",
        "echo ({{question}})",
        "known (Answer shortly: {{question}})",
        "known ({{question}})",
    ]
    assert results.read_benchmarks(folder)[0].title == "made-up sums · 2 samples"
    assert len(results.read_benchmarks(folder)) == 1
    assert {run.started_at is None for run in runs} == {False}
    assert check_data(folder) == []


def test_errors_are_no_failures(folder: DataFolder) -> None:
    """A provider without a connection has no verdict; a wrong answer fails, with its reason."""
    results.import_files(folder, SUMS)
    by_name = {run.model.name: run for run in results.read_runs(folder)}
    broken, echo = by_name["broken ({{question}})"], by_name["echo ({{question}})"]

    assert set(results.read_outcomes(folder, broken).values()) == {"infrastructure"}
    fault = broken.attempts[0].fault
    assert fault is not None
    assert fault.evidence == "no connection to the model"
    assert results.read_outcomes(folder, echo) == {
        "made-up sums one and one": "passed",
        "made-up sums test 2": "failed",
    }
    assert results.find_attempt(folder, echo, "made-up sums test 2").reason == (
        'Expected output "2 + 2 = ?" to equal "4"'
    )


def test_amounts_are_those_that_the_provider_reported(folder: DataFolder) -> None:
    """A cost of 0 that nobody reported is not known, and so are 0 tokens."""
    results.import_files(folder, SUMS)
    by_name = {run.model.name: run for run in results.read_runs(folder)}
    reporting, echo, broken = (
        by_name[f"{name} ({{{{question}}}})"].attempts[0].generation
        for name in ("known", "echo", "broken")
    )

    assert reporting is not None
    assert (reporting.cost_usd, reporting.tokens.input, reporting.tokens.output) == (0.001, 10, 2)
    assert echo is not None
    assert (echo.cost_usd, echo.tokens.input) == (0.0, None)
    assert broken is None


def test_a_reply_from_the_cache_has_no_amounts(folder: DataFolder, changed: Make) -> None:
    """Its cost and time would be those of the cache."""
    results.import_files(folder, changed(SUMS, {"results.results.*.response.cached": True}))
    assert {run.totals.generation_known_for for run in results.read_runs(folder)} == {0}


def test_one_prompt_is_no_variant(folder: DataFolder, changed: Make) -> None:
    """The model keeps its plain name."""

    def keep_first(output: dict[str, Any]) -> None:
        rows = output["results"]["results"]
        output["results"]["results"] = [row for row in rows if row["promptIdx"] % 2 == 0]

    results.import_files(folder, changed(SUMS, keep_first))
    assert {run.model.slug for run in results.read_runs(folder)} == {
        "not-named/broken",
        "not-named/echo",
        "house/known",
    }


def test_the_order_of_tests_does_not_matter(folder: DataFolder, changed: Make) -> None:
    """A test is known by its variables and assertions, and not by its number."""

    def reverse_tests(output: dict[str, Any]) -> None:
        output["evalId"] = "another"
        output["results"]["results"].reverse()
        for row in output["results"]["results"]:
            row["testIdx"] = 1 - row["testIdx"]
            row["testCase"]["vars"]["sessionId"] = "drawn"

    results.import_files(folder, SUMS)
    results.import_files(folder, changed(SUMS, reverse_tests))
    assert len(results.read_benchmarks(folder)) == 1
    assert len(results.read_runs(folder)) == 12


def test_the_same_evaluation_makes_no_second_run(folder: DataFolder, changed: Make) -> None:
    """An export of another day has the same id."""
    later = {"metadata.exportedAt": "2027-01-01T00:00:00.000Z"}
    results.import_files(folder, SUMS)
    assert results.import_files(folder, changed(SUMS, later)).known == 6


def test_partial_scores_pass_from_the_named_score_on(folder: DataFolder) -> None:
    """One of two assertions holds: 0.5."""
    results.import_files(folder, SUMS, passes_at=0.5)
    by_name = {run.model.name: run for run in results.read_runs(folder)}

    assert set(results.read_outcomes(folder, by_name["echo ({{question}})"]).values()) == {"passed"}
    assert (
        results.read_outcomes(folder, by_name["known ({{question}})"])["made-up sums test 2"]
        == "failed"
    )


def test_long_identities_stay_apart(folder: DataFolder, changed: Make) -> None:
    """Evaluations and providers that differ only at the ends of their names are different."""

    def lengthen(output: dict[str, Any], end: str) -> None:
        output["evalId"] = "x" * 300 + end
        for row in output["results"]["results"]:
            row["provider"] = {"id": "p" * 190 + row["provider"]["id"][:5], "label": ""}

    results.import_files(folder, changed(SUMS, lambda output: lengthen(output, "a")))
    results.import_files(folder, changed(SUMS, lambda output: lengthen(output, "b")))
    assert len(results.read_runs(folder)) == 12
    assert len({run.model.slug for run in results.read_runs(folder)}) == 6


def name_alike(output: dict[str, Any]) -> None:
    """Give two providers the same id, as promptfoo does if only their settings differ."""
    for row in output["results"]["results"]:
        row["provider"]["id"] = row["provider"]["id"].replace("broken", "echo")


def test_a_label_distinguishes_columns_of_one_provider(folder: DataFolder, changed: Make) -> None:
    """Two settings of a provider are two rows of the board, and no repetitions."""

    def label(output: dict[str, Any]) -> None:
        name_alike(output)
        for row in output["results"]["results"]:
            row["provider"]["label"] = f"setting {row['promptIdx'] // 2}"

    results.import_files(folder, changed(SUMS, label))
    assert {run.samples for run in results.read_runs(folder)} == {1}
    assert len(results.read_runs(folder)) == 6


WRONG: list[tuple[results.Change, str]] = [
    ({"results.version": 2}, "results.version: is 2: only 3"),
    ({"results.results": []}, "results.results: has 0 rows"),
    ({f"{ROW}.failureReason": 7}, f"{ROW}: success False with failureReason 7 is unknown"),
    ({"results.results.1.testCase": results.GONE}, "results.results.1.testCase: is no object"),
    (
        name_alike,
        "results.results.2.promptIdx: columns 2 and 0 are both of echo, {{question}}: give each",
    ),
]
"""Changes of the file, with the reasons for which it is refused then."""


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_a_wrong_file_is_refused_with_its_field(
    changed: Make, folder: DataFolder, change: results.Change, reason: str
) -> None:
    """The message names the row and the field, and nothing is written."""
    assert results.catch_refusal(folder, changed(SUMS, change)).startswith(reason)


IDS = {
    "openai:gpt-6": ("openai/gpt-6", None),
    "openai:chat:gpt-6": ("openai/gpt-6", None),
    "openai:responses:gpt-6": ("openai/gpt-6", None),
    "anthropic:messages:claude-5": ("anthropic/claude-5", None),
    "openrouter:openai/gpt-6": ("openai/gpt-6", "openrouter"),
    "together:acme/base": ("acme/base", "together"),
    "togetherai:acme/base": ("acme/base", "together"),
    "huggingface:text-generation:acme/base": ("acme/base", "huggingface"),
    "huggingface:chat:acme/base:fastest": ("acme/base:fastest", "huggingface"),
    "huggingface:text-generation:gemma": ("huggingface/gemma", None),
    "bedrock:us.anthropic.claude-5-v1:0": ("bedrock/us.anthropic.claude-5-v1:0", None),
    "azure:chat:my-deployment": ("azure/my-deployment", None),
    "vertex:gemini-3-pro": ("vertex/gemini-3-pro", None),
    "google:live:gemini-3": ("google/gemini-3", None),
    "ollama:chat:qwen3:8b": ("ollama/qwen3:8b", None),
    "cloudflare-ai:@cf/deepseek-ai/r1": ("@cf/deepseek-ai/r1", "cloudflare-ai"),
    "fireworks:accounts/fireworks/models/oss": ("fireworks/oss", "fireworks"),
    "docker:ai/llama3.2:3B-Q4_K_M": ("ai/llama3.2:3B-Q4_K_M", "docker"),
    "openai:chat": ("openai/chat", None),
    "echo": ("echo", None),
    "acme/base": ("acme/base", None),
    "file://path/to/custom.py": ("file/custom.py", "path/to"),
    "exec: python chain.py": ("exec/python chain.py", None),
    "python:custom.py": ("python/custom.py", None),
    "https://me:secret@api.example.com/v1/chat?key=secret": ("https/api.example.com", "v1/chat"),
    "webhook:http://example.com/hook": ("webhook/example.com", "hook"),
}


@pytest.mark.parametrize("identity", IDS)
def test_the_id_of_a_provider_names_a_model(identity: str) -> None:
    """Host and protocol are not part of the model's name; an address loses what may be a key."""
    model, detail, protocol = name_providers([identity])[identity]
    assert (model, detail) == IDS[identity]
    assert protocol is None


def test_protocols_distinguish_the_columns_of_one_model() -> None:
    """A file that asked a model in two ways has two rows, and is not refused."""
    models = name_providers(["openai:chat:gpt-6", "openai:responses:gpt-6", "openai:chat:other"])
    assert [model.protocol for model in models.values()] == ["chat", "responses", None]


@given(st.one_of(st.text(), st.from_regex(r"[a-z]{2,6}:[a-z:/.@ -]{0,12}")))
def test_each_id_becomes_a_slug(identity: str) -> None:
    """No id is refused as a record."""
    model, detail, _ = name_providers([identity])[identity]
    assert re.fullmatch(MODEL_SLUG, name_model(model, detail)[0])
