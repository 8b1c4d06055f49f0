"""Answers that a run carried over from an earlier run, and the conditions that records prove."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.attempt import Attempt
from records.shapes.run import Executed, Experiment, Run, RunModel


class AskedAnswer(NamedTuple):
    """An answer, named by the run that asked for it, its eval and its sample."""

    run: str
    eval: str
    sample: int


def find_difference(earlier: Run, model: RunModel, experiment: Experiment) -> str | None:
    """Return how ``earlier`` differs from a run with ``model`` and ``experiment``; else None.

    A missing value counts as a difference. The text continues a sentence about ``earlier``.
    """
    then = earlier.model
    unknown = then.sent is None or model.sent is None
    differs = {
        "was published by others": not isinstance(earlier.provenance, Executed),
        "asked no model": then.kind != "llm" or model.kind != "llm" or then.litellm_id is None,
        "asked another model": (then.slug, then.litellm_id) != (model.slug, model.litellm_id),
        "asked at another address": then.origin != model.origin,
        "was asked for other parameters": not _is_same_json(then.parameters, model.parameters),
        "does not record which parameters were sent": unknown,
        "sent other parameters": not _is_same_json(then.sent, model.sent),
        "had another limit on replies": then.max_output_tokens != model.max_output_tokens,
        "was sent other guidelines": earlier.experiment.guidelines != experiment.guidelines,
        "was made under another experiment": earlier.experiment.name != experiment.name,
    }
    return next((why for why, holds in differs.items() if holds), None)


def find_age_problem(earlier: Run, began: datetime | None, days: int) -> str | None:
    """Return why answers of ``earlier`` are too old for a run begun at ``began``; else None."""
    if earlier.started_at is None or began is None:
        return "does not record when it began"
    if earlier.started_at > began:
        return "began later"
    if began - earlier.started_at > timedelta(days=days):
        return f"began more than {days} days before"
    return None


def find_broken_promise(run: Run, attempt: Attempt, origin: Run) -> str | None:
    """Return how the run ``origin`` contradicts an answer that ``run`` took over; else None.

    Only records are compared. `records.checks.run_checks` compares archives.
    """
    carried = attempt.carried_over
    if carried is None:
        return None
    if (why := find_difference(origin, run.model, run.experiment)) is not None:
        return f"run {origin.run_id} {why}"
    if carried.asked_from != origin.started_at:
        return f"asked_from is not the time at which run {origin.run_id} began"
    original = next((each for each in origin.attempts if each.place == attempt.place), None)
    if original is None or original.generation is None or original.carried_over is not None:
        return f"run {origin.run_id} did not ask for this answer"
    if original.generation != attempt.generation:
        return f"generation is another one than in run {origin.run_id}"
    return None


def list_carried_answers(run: Run) -> frozenset[AskedAnswer]:
    """Return the answers that a run carried over from others."""
    return frozenset(
        AskedAnswer(attempt.carried_over.run, attempt.eval, attempt.sample)
        for attempt in run.attempts
        if attempt.carried_over is not None
    )


def list_answers(run: Run) -> frozenset[AskedAnswer]:
    """Return all answers that a run judged, by the runs that asked for them."""
    return frozenset(
        AskedAnswer(
            attempt.carried_over.run if attempt.carried_over else run.run_id,
            attempt.eval,
            attempt.sample,
        )
        for attempt in run.attempts
        if attempt.generation is not None
    )


def find_takers(folder: DataFolder, run: Run) -> list[Run]:
    """Return the runs in ``folder`` that carried over answers of ``run``."""
    return [
        taker
        for taker in _read_runs_of_model(folder, run)
        if any(answer.run == run.run_id for answer in list_carried_answers(taker))
    ]


def find_sharing_runs(folder: DataFolder, run: Run, version: str) -> list[Run]:
    """Return other runs of ``version`` in ``folder`` that judged the same answers as ``run``.

    Runs without a score are left out: withdrawn runs, and runs that moved to the version and whose
    answers ``run`` took over.
    """
    own = list_answers(run)
    asking = {answer.run for answer in own}
    return [
        other
        for other in _read_runs_of_model(folder, run)
        if other.run_id != run.run_id
        and (other.asked_version is None or other.run_id not in asking)
        and other.benchmark_version == version
        and other.withdrawn is None
        and own & list_answers(other)
    ]


def _read_runs_of_model(folder: DataFolder, run: Run) -> Iterator[Run]:
    return map(read_run, folder.list_model_run_files(run.model.slug))


def _is_same_json(first: object, second: object) -> bool:
    """Return whether two values are the same in JSON; for Python, 1 and true are equal."""
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
