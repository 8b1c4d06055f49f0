"""The plan of a night: models to ask and their dollars, and the day of each model's next run."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.night import DueRun, MoneyLimits, Schedule, plan_night, schedule
from records.files.data_folder import DataFolder
from records.runs.run_lookup import list_stored_runs
from records.shapes.attempt import CarriedOver, Fault, FaultClass, Outcome
from records.shapes.registry import ModelEntry, Price
from records.shapes.run import Run
from records.writer import write_run
from runner.evals.discovery import discover
from runner.models.costs import bound_output
from runner.runs.history import UnfinishedRun, find_unfinished
from runner.runs.plan import Destination, make_experiment_setup, make_plan, write_version
from tests.records.examples import (
    make_attempt,
    make_eval_name,
    make_generation,
    with_attempts,
    with_model,
)
from tests.records.examples import make_run as example
from tests.runner.conftest import write_prose_suite
from tests.support.warm_command import run_command

pytestmark = pytest.mark.unit

TODAY = datetime.now(UTC).date()


def make_due_run(
    most: float | None,
    *,
    spent: float = 0.0,
    dearest: float | None = None,
    price: bool = True,
    key: str | None = None,
) -> DueRun:
    """Return a due run whose questions cost at most this amount."""
    entry = ModelEntry(
        slug="maker/model",
        name="M",
        provider="Maker",
        litellm_id="openai/m",
        api_key_env=key,
        price=Price(input=1, output=1) if price else None,
    )
    unfinished = UnfinishedRun(example(), ("a/b",), 1, spent) if spent else None
    return DueRun(
        schedule=Schedule(entry, None, None),
        experiment="default",
        unfinished=unfinished,
        questions=10,
        most_usd=most,
        dearest_usd=most if dearest is None else dearest,
    )


def list_decisions(runs: Sequence[DueRun], limits: MoneyLimits) -> list[tuple[str, float | None]]:
    """Return the decision on each run, and its budget."""
    return [(planned.decision, planned.budget_usd) for planned in plan_night(runs, limits)]


def test_each_run_gets_its_possible_cost_until_the_night_is_spent() -> None:
    """The first run that does not fit waits; a smaller run behind it is still asked."""
    runs = [make_due_run(20), make_due_run(20), make_due_run(20), make_due_run(9.001)]
    limits = MoneyLimits(run_usd=50, night_usd=50)
    assert list_decisions(runs, limits) == [
        ("asked", 20),
        ("asked", 20),
        ("waits", None),
        ("asked", 9.01),
    ]


@pytest.mark.parametrize(
    ("run", "limits", "decision", "budget_usd"),
    [
        # A run with a larger cost than the night's limit begins, else it would wait for ever.
        (make_due_run(300, dearest=2), MoneyLimits(50, 30), "asked", 30),
        (make_due_run(300, dearest=2), MoneyLimits(None, 30), "asked", 30),
        # Earlier costs of a run count, and the command gets the sum.
        (make_due_run(30, spent=12.5, dearest=1), MoneyLimits(20, None), "asked", 20),
        (make_due_run(3, spent=12.5, dearest=1), MoneyLimits(20, None), "asked", 15.5),
        # A budget that pays for no question would end without an answer.
        (make_due_run(30, dearest=6), MoneyLimits(5, None), "budget_spent", None),
        (make_due_run(30, spent=19.5, dearest=1), MoneyLimits(20, 90), "budget_spent", None),
        # A budget needs known costs.
        (make_due_run(None), MoneyLimits(5, 5), "no_price", None),
        (make_due_run(None), MoneyLimits(), "asked", None),
        # `run --budget` accepts only more than nothing.
        (make_due_run(0), MoneyLimits(5, 5), "asked", 0.01),
    ],
)
def test_a_run_gets_what_the_limits_leave(
    run: DueRun, limits: MoneyLimits, decision: str, budget_usd: float | None
) -> None:
    """Its possible cost, what it has cost already, and the limits of run and night decide."""
    assert list_decisions([run], limits) == [(decision, budget_usd)]


def test_a_missing_key_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The money of a run without a key goes to the runs behind it."""
    monkeypatch.delenv("NOBODYS_KEY", raising=False)
    runs = [make_due_run(20, key="NOBODYS_KEY"), make_due_run(20)]
    assert list_decisions(runs, MoneyLimits(20, 20)) == [("no_key", None), ("asked", 20)]


@given(st.lists(st.floats(0, 1e4)), st.floats(0.01, 1e4), st.floats(0.01, 1e4))
def test_no_night_costs_more_than_its_limit(costs: list[float], run: float, night: float) -> None:
    """The limits of a night and of a run hold for any costs."""
    planned = plan_night(
        [make_due_run(cost, dearest=0.001) for cost in costs], MoneyLimits(run, night)
    )
    amounts = [entry.tonight_usd for entry in planned if entry.tonight_usd is not None]
    assert sum(amounts) <= night + 1e-6
    assert all(amount <= run + 1e-6 for amount in amounts)


class Project:
    """A suite of three evals, and a data folder with models."""

    def __init__(self, folder: Path) -> None:
        """Write the suite; models come by `models`."""
        write_prose_suite(folder / "evals", 3)
        self.suite = discover(folder / "evals")
        self.data = DataFolder(folder / "data")
        self.data.root.mkdir()
        self.version = write_version(Destination(self.suite, self.data)).version

    def write_models(self, *entries: dict[str, Any]) -> None:
        """Write models.toml."""
        lines = ["schema_version = 1"]
        for entry in entries:
            slug = entry["slug"]
            facts = {"name": slug, "provider": "Maker", "litellm_id": f"openai/{slug}"} | entry
            lines += ["[[models]]", "price = { input = 1, output = 10 }"]
            lines += ["limits = { max_output_tokens = 1000 }"]
            lines += [f"{name} = {json.dumps(value)}" for name, value in facts.items()]
        self.data.models_file.write_text("\n".join(lines))

    def list_due(self, *arguments: str, code: int = 0, **keys: str) -> list[dict[str, Any]]:
        """Return the rows of `models --due --json`."""
        folders = ("--evals", self.suite.root, "--data", self.data.root)
        command = ("models", "--due", "--json", *arguments, *folders)
        done = run_command(*command, variables=keys, code=code)
        return json.loads(done.stdout) if code == 0 else []

    def run(self, slug: str, experiment: str, began: date, verdicts: int) -> Run:
        """Write a published run with this number of verdicts; its other attempts have a fault."""
        entry = ModelEntry.model_validate(
            {
                "slug": slug,
                "name": slug,
                "provider": "Maker",
                "litellm_id": f"openai/{slug}",
                "limits": {"max_output_tokens": 1000},
            }
        )
        run = make_plan(
            model=bound_output(entry),
            experiment=make_experiment_setup(self.suite, experiment, None),
            evals=self.suite.evals,
            benchmark_version=self.version,
            samples=1,
            harness=None,
        ).run
        fault = Fault(kind=FaultClass.RATE_LIMITED, evidence="429")
        attempts = tuple(
            make_attempt(name)
            if number < verdicts
            else make_attempt(
                name, outcome=Outcome.INFRASTRUCTURE, fault=fault, steps=None, generation=None
            )
            for number, name in enumerate(run.planned)
        )
        at = datetime.combine(began, datetime.min.time(), UTC)
        changes = {"attempts": attempts, "date": began, "started_at": at, "finished_at": at}
        whole = run.model_copy(update=changes | {"status": "completed"})
        write_run(self.data, whole)
        return whole


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project without models."""
    return Project(tmp_path)


@pytest.mark.integration
def test_the_plan_names_who_is_due_in_turn(project: Project) -> None:
    """Unfinished runs come first, then models never run, then the longest overdue."""
    project.write_models(
        *({"slug": f"maker/{name}"} for name in ("new", "old", "older", "rest", "done"))
    )
    for experiment in ("default", "no_guidelines"):
        project.run("maker/old", experiment, TODAY - timedelta(days=20), 3)
        project.run("maker/older", experiment, TODAY - timedelta(days=30), 3)
        project.run("maker/done", experiment, TODAY, 3)
    unfinished = project.run("maker/rest", "default", TODAY - timedelta(days=2), 2)
    project.run("maker/rest", "no_guidelines", TODAY, 3)
    rows = project.list_due("--budget", "5", "--night-budget", "5")
    assert [(row["slug"], row["experiment"], row["questions"]) for row in rows] == [
        ("maker/rest", "default", 1),
        ("maker/new", "default", 3),
        ("maker/new", "no_guidelines", 3),
        ("maker/older", "default", 3),
        ("maker/older", "no_guidelines", 3),
        ("maker/old", "default", 3),
        ("maker/old", "no_guidelines", 3),
    ]
    assert rows[0]["run"] == unfinished.run_id
    assert {row["decision"] for row in rows} == {"asked"}
    assert all(0 < row["tonight_usd"] < 0.2 for row in rows)
    assert rows[0]["budget_usd"] == pytest.approx(rows[0]["spent_usd"] + rows[0]["tonight_usd"])


@pytest.mark.integration
def test_the_field_and_the_key_decide(project: Project) -> None:
    """`scheduled = false` is left out; a model without its key is named, and not asked."""
    project.write_models(
        {"slug": "maker/one", "api_key_env": "ONE_KEY"},
        {"slug": "maker/two", "api_key_env": "TWO_KEY"},
        {"slug": "maker/by-hand", "scheduled": False},
    )
    rows = project.list_due(ONE_KEY="k")
    assert {(row["slug"], row["decision"]) for row in rows} == {
        ("maker/one", "asked"),
        ("maker/two", "no_key"),
    }
    by_name = project.list_due("-m", "maker/by-hand,maker/one", ONE_KEY="k")
    assert [row["slug"] for row in by_name] == ["maker/by-hand"] * 2 + ["maker/one"] * 2
    project.list_due("-m", "maker/nobody", code=2)


@pytest.mark.integration
def test_the_unfinished_run_is_the_latest_of_the_same_kind(project: Project) -> None:
    """Whole runs, runs of other models or conditions, and old runs do not count."""
    project.write_models({"slug": "maker/m"})
    run = project.run("maker/m", "default", TODAY - timedelta(days=14), 1)
    other = with_model(run, parameters={"temperature": 1})
    stored = list_stored_runs(project.data)
    unfinished = find_unfinished(stored, run, TODAY)
    assert unfinished is not None
    assert unfinished.run.run_id == run.run_id
    assert unfinished.questions == run.planned[1:]
    assert (unfinished.verdicts, unfinished.run.planned_attempts) == (1, 3)
    assert find_unfinished(stored, run, TODAY + timedelta(days=1)) is None
    assert find_unfinished(stored, other, TODAY) is None
    assert find_unfinished([], run, TODAY) is None
    project.run("maker/m", "default", TODAY - timedelta(days=1), 3)
    assert find_unfinished(list_stored_runs(project.data), run, TODAY) is None


@pytest.mark.integration
def test_limits_belong_to_the_plan(project: Project) -> None:
    """The list of models has no amounts of money."""
    done = run_command("models", "--budget", "5", "--data", project.data.root, code=2)
    assert "--due" in done.stderr


EVALS = (make_eval_name(0), make_eval_name(1))
DAY = date(2026, 11, 24)
PASSED, FAILED, INFRASTRUCTURE, _ = Outcome
JUDGED = {EVALS[0]: PASSED, EVALS[1]: FAILED}


def make_model_entry(age_days: int | None) -> ModelEntry:
    """Return an entry of a model that was released this number of days before DAY."""
    released = None if age_days is None else DAY - timedelta(days=age_days)
    return ModelEntry(
        slug="maker/model", name="M", provider="Maker", litellm_id="m/m", released=released
    )


def make_past_run(
    days_ago: int, outcomes: Mapping[str, Outcome] = JUDGED, cost_usd: float | None = None
) -> Run:
    """Return a run that began this number of days before DAY."""
    run = example()
    share = None if cost_usd is None else cost_usd / len(outcomes)
    attempts = tuple(
        make_attempt(name, outcome=outcomes[name], generation=make_generation(share))
        for name in sorted(outcomes)
    )
    day = DAY - timedelta(days=days_ago)
    return with_attempts(run, attempts, date=day, planned=tuple(sorted(outcomes)))


def count_days_to_next(entry: ModelEntry, run: Run) -> int:
    """Return the number of days from ``run`` to the next."""
    due = schedule(entry, [run], EVALS, DAY)
    assert due.next is not None
    return (due.next - run.date).days


def test_a_model_without_a_run_is_due() -> None:
    """A model without a run, or only with runs of a part of the suite, is due."""
    part = make_past_run(0, {EVALS[0]: PASSED})
    assert schedule(make_model_entry(0), [], EVALS, DAY).is_due(DAY)
    assert schedule(make_model_entry(0), [part], EVALS, DAY).is_due(DAY)


@pytest.mark.parametrize(
    ("age", "cost", "days"),
    [
        *((0, None, 1), (11, None, 1), (12, None, 2), (180, None, 30), (360, None, 60)),
        *((3000, None, 60), (360, 50.0, 60)),
        *((0, 0.0, 1), (0, 5.0, 1), (0, 27.5, 8), (0, 50.0, 14), (0, 900.0, 14)),
    ],
)
def test_the_interval_grows_with_age_and_cost(age: int, cost: float | None, days: int) -> None:
    """It is a day in the first week, and sixty days after a year; a cost never shortens it.

    It is one day at $5, fourteen from $50 on; an unknown cost does not change it.
    """
    assert count_days_to_next(make_model_entry(age), make_past_run(0, cost_usd=cost)) == days


def test_without_a_release_the_age_counts_from_the_first_run() -> None:
    """A model is at least as old as its first run."""
    due = schedule(make_model_entry(None), [make_past_run(120), make_past_run(10)], EVALS, DAY)
    assert due.next == DAY - timedelta(days=10) + timedelta(days=20)


def make_unfinished_run(began: int, ended: int | None, status: str) -> Run:
    """Return a run without all verdicts that began and ended these numbers of days before DAY."""
    broken = make_past_run(began, {EVALS[0]: PASSED, EVALS[1]: INFRASTRUCTURE})
    end = None if ended is None else datetime.combine(DAY, time(), UTC) - timedelta(days=ended)
    return broken.model_copy(update={"finished_at": end, "status": status})


@pytest.mark.parametrize(
    ("began", "ended", "status", "days"),
    [
        (0, None, "running", 0),
        (5, 0, "aborted", 0),
        (0, 0, "completed", 1),
        (1, 0, "completed", 1),
        (2, 0, "completed", 2),
        (4, 0, "completed", 4),
        (8, 0, "completed", 8),
        (30, 0, "completed", 14),
    ],
)
def test_an_unfinished_run_goes_on(began: int, ended: int | None, status: str, days: int) -> None:
    """A stopped or killed run goes on at once; a run without verdicts waits ever longer.

    It does not wait for the end of the interval: the money is of use only for a whole run.
    """
    run = make_unfinished_run(began, ended, status)
    due = schedule(make_model_entry(0), [run], EVALS, DAY, run)
    assert due.next == DAY + timedelta(days=days)
    assert due.last is None
    whole = make_past_run(began + 1)
    assert schedule(make_model_entry(360), [whole, run], EVALS, DAY, run).next == due.next


def test_a_run_that_cannot_go_on_does_not_count() -> None:
    """Only a whole run delays the next."""
    run = make_unfinished_run(20, 20, "completed")
    assert schedule(make_model_entry(0), [run], EVALS, DAY).is_due(DAY)


@pytest.mark.parametrize("carried", [1, 2])
def test_a_run_that_carried_answers_over_delays_the_next(carried: int) -> None:
    """The interval begins on the day of that run, also with older answers."""
    run = make_past_run(0, cost_usd=50.0)
    origin = CarriedOver(run="e" * 32, asked_from=datetime(2026, 9, 1, tzinfo=UTC), prompt="0" * 64)
    attempts = tuple(
        attempt.model_copy(update={"carried_over": origin}) if number < carried else attempt
        for number, attempt in enumerate(run.attempts)
    )
    current = with_attempts(run, attempts)
    due = schedule(make_model_entry(0), [current], EVALS, DAY)
    assert not due.is_due(DAY)
    # As long as after a run that paid for all: the next one will.
    assert (due.last, due.next) == (DAY, DAY + timedelta(days=14))


def test_a_retired_model_is_never_due() -> None:
    """The provider does not answer from the day of the retirement."""
    retiring = make_model_entry(0).model_copy(update={"retires": DAY})
    assert not schedule(retiring, [], EVALS, DAY).is_due(DAY)
    assert schedule(retiring, [], EVALS, DAY).is_due(DAY - timedelta(days=1))


@given(st.integers(0, 5000), st.none() | st.floats(0, 1e6))
def test_intervals_stay_between_one_and_sixty_days(age: int, cost: float | None) -> None:
    """No age and no cost of a model leads to another interval."""
    assert 1 <= count_days_to_next(make_model_entry(age), make_past_run(0, cost_usd=cost)) <= 60
