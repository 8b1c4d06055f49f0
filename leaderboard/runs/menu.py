"""The interactive menu, in which a user chooses models and evals and sees the expected cost."""

import os
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import questionary
from prompt_toolkit.filters import Always
from questionary import Choice, Question

from leaderboard.runs.run_summary import format_cost_line
from leaderboard.terminal.streams import say
from records.files.data_folder import DataFolder
from records.reader import read_models
from records.shapes.attempt import Outcome
from records.shapes.registry import ModelEntry
from records.text.numbers import format_count, format_dollars
from records.text.visible import make_one_line
from runner.errors import UserError
from runner.evals.discovery import Eval, Suite
from runner.models.baselines import BASELINES
from runner.models.costs import MILLION, Rates, find_rates
from runner.models.registry import LOCAL, resolve_model
from runner.models.requests.routes import check_proxies
from runner.runs.forecast import compute_costs_by_eval, forecast_costs
from runner.runs.history import History, read_histories
from runner.runs.plan import DEFAULT, NO_GUIDELINES, ExperimentSetup, make_experiment_setup
from runner.suite.mint import make_benchmark


def format_model_line(entry: ModelEntry, rates: Rates | None) -> str:
    """Return a line with the prices of a registered model; it also names a missing API key."""
    parts = [entry.slug]
    if rates is None:
        parts.append("no price known")
    else:
        base = rates[0]
        parts.append(
            f"${base.input * MILLION:g} in, ${base.output * MILLION:g} out per million tokens"
        )
    if entry.api_key_env is not None and not os.environ.get(entry.api_key_env):
        parts.append(f"needs {entry.api_key_env}")
    return " · ".join(parts)


def format_eval_line(name: str, histories: Sequence[History | None]) -> str:
    """Return a line with the results of the chosen models at an eval, and the cost of an answer."""
    states = Counter[str]()
    for history in histories:
        attempts = history.attempts.get(name, ()) if history else ()
        outcomes = {attempt.outcome for attempt in attempts}
        worst_first = (Outcome.FAILED, Outcome.INFRASTRUCTURE, Outcome.PASSED)
        states[next((state for state in worst_first if state in outcomes), "not run")] += 1
    costs = [cost for history in histories for cost in compute_costs_by_eval(history).get(name, ())]
    if len(histories) == 1:
        results = next(iter(states))
    else:
        results = ", ".join(f"{count} {state}" for state, count in states.most_common())
    price = f" · {format_dollars(sum(costs) / len(costs))} an answer" if costs else ""
    return f"{name} · {results}{price}"


def format_failure_line(name: str, history: History) -> str:
    """Return a line with the reason why an eval did not pass."""
    attempts = history.attempts[name]
    failure = next(attempt for attempt in attempts if attempt.outcome is not Outcome.PASSED)
    why = failure.explanation
    return f"{name} · {failure.outcome}{f': {make_one_line(why, 100)}' if why else ''}"


def format_history_line(history: History) -> str:
    """Return a line with the number of evals that did not pass, and the date of the last run."""
    run = history.latest
    count = len(history.list_failed_evals())
    evals = format_count(count, "eval")
    return f"{run.model.slug} {run.experiment.name} · {evals} did not pass · last run {run.date}"


_CATEGORIES = "Run whole categories"
_EVALS = "Run single evals"
_FAILED = "Run again what failed"
_LEAVE = "Leave"

_BY_ID = "Another model, by its litellm id"
_SERVER = "A server of yours: llama.cpp, Ollama, vLLM"

_TYPE = "(type to search, space chooses, enter goes on, Ctrl-C leaves)"
_ADDRESS = "http://127.0.0.1:8080/v1"
_MOST_SAMPLES = 100

Answer = TypeVar("Answer")


class _Asked(NamedTuple):
    """The chosen models of a run."""

    names: Sequence[str]
    entries: Sequence[ModelEntry]
    """The models, without baselines, which cost nothing."""
    api_base: str | None


class Menu:
    """The questions of the menu, about a suite and a data folder."""

    def __init__(self, suite: Suite, data: DataFolder, folder_options: Sequence[str]) -> None:
        """Read the registry and the results of earlier runs.

        ``folder_options`` are the options that name suite and data folder in the printed command.
        """
        self._places = folder_options
        self._suite = suite
        self._registry = read_models(data)
        self._models_files = (data.models_file, data.local.models_file)
        self._known = read_histories(data, make_benchmark(suite).version)

    def choose(self) -> list[str] | None:
        """Ask for models and evals; return the arguments for `leaderboard run`.

        None if the user leaves the menu, which Ctrl-C does at any question.
        """
        try:
            action = _ask_for_word("What to do?", [_CATEGORIES, _EVALS, _FAILED, _LEAVE])
            if action == _LEAVE:
                return None
            return (
                self._ask_for_repetition() if action == _FAILED else self._ask_for_new_run(action)
            )
        except KeyboardInterrupt:
            say("Nothing was run.")
            return None

    def _ask_for_new_run(self, what: str) -> list[str] | None:
        models = self._ask_for_models()
        experiment = make_experiment_setup(
            self._suite, _ask_for_word("Which experiment?", [DEFAULT, NO_GUIDELINES]), None
        )
        if what == _CATEGORIES:
            chosen = _ask_for_several("Which categories?", self._suite.categories)
            selection = [part for name in chosen for part in ("-c", name)]
            evals = self._suite.select(None, chosen)
        else:
            slugs = [entry.slug for entry in models.entries]
            slugs += [name for name in models.names if name in BASELINES]
            histories = [self._known.get((slug, experiment.name)) for slug in dict.fromkeys(slugs)]
            choices = [
                Choice(format_eval_line(evaluation.name, histories), evaluation.name)
                for evaluation in self._suite.evals
            ]
            names = _ask_for_several("Which evals?", choices)
            selection, evals = self._select_evals(names)
        return self._confirm_run(models, experiment, selection, evals)

    def _ask_for_repetition(self) -> list[str] | None:
        listed = {entry.slug for entry in self._registry.models}
        failed = [
            history
            for history in self._known.values()
            # A model can be asked again if its runs are local, or if it is in the registry.
            if (history.is_local or history.latest.model.slug in listed)
            and history.list_failed_evals()
        ]
        if not failed:
            say("Nothing failed that can be run again.")
            return None
        history = _ask_for_one(
            "Whose?", {format_history_line(history): history for history in failed}
        )
        names = _ask_for_several(
            "Which of these?",
            [
                Choice(format_failure_line(name, history), name, checked=True)
                for name in history.list_failed_evals()
            ],
        )
        run = history.latest
        if run.model.slug.startswith(f"{LOCAL}/"):
            address = _ask_for_text("Its address?", _ADDRESS)
            models = self._resolve_models([run.model.name], address)
        else:
            models = self._resolve_models([run.model.slug])
        experiment = make_experiment_setup(self._suite, run.experiment.name, None)
        return self._confirm_run(models, experiment, *self._select_evals(names))

    def _ask_for_models(self) -> _Asked:
        kind = _ask_for_word("Who is asked?", [self.named_models, _BY_ID, _SERVER])
        if kind == _SERVER:
            address = _ask_for_text("Its address?", _ADDRESS)
            import httpx  # noqa: PLC0415 - takes a while to import, for this question only

            check_proxies()
            try:
                served = httpx.get(f"{address.rstrip('/')}/models", timeout=5).json()["data"]
                names = [str(model["id"]) for model in served]
            except (httpx.HTTPError, httpx.InvalidURL, ValueError, LookupError, TypeError):
                names = []
            if names:
                return self._resolve_models(_ask_for_several("Which models?", names), address)
            say(f"{address} lists no models.")
            return self._resolve_models([_ask_for_text("The model's name?", "")], address)
        if kind == _BY_ID:
            return self._resolve_models(
                [_ask_for_text("Its litellm id?", "", self._check_model_id)]
            )
        say("Looking up prices …")
        lines = [
            Choice(format_model_line(entry, find_rates(entry)), entry.slug)
            for entry in self._registry.models
        ]
        baselines = [Choice(f"{name} · baseline, no key, free", name) for name in BASELINES]
        return self._resolve_models(_ask_for_several("Which models?", [*lines, *baselines]))

    @property
    def named_models(self) -> str:
        """The text of the choice to select models by name, which depends on the registry."""
        if self._registry.models:
            files = " or ".join(str(path) for path in self._models_files if path.exists())
            return f"Models that {files} lists, and baselines"
        return f"Baselines; {self._models_files[0]} lists no model"

    def _resolve_models(self, names: Sequence[str], address: str | None = None) -> _Asked:
        entries = [
            resolve_model(name, self._registry, api_base=address)
            for name in names
            if address or name not in BASELINES
        ]
        return _Asked(names, entries, address)

    def _check_model_id(self, name: str) -> bool | str:
        try:
            resolve_model(name, self._registry)
        except UserError as error:
            return str(error)
        return True

    def _select_evals(self, names: Sequence[str]) -> tuple[list[str], Sequence[Eval]]:
        """Return the options that select exactly these evals, and the evals."""
        pattern = f"^({'|'.join(names)})$"
        return ["-f", pattern], self._suite.select(pattern, ())

    def _confirm_run(
        self,
        asked: _Asked,
        experiment: ExperimentSetup,
        selection: list[str],
        evals: Sequence[Eval],
    ) -> list[str] | None:
        """Ask for samples and budget, show the expected cost, and return the agreed arguments."""
        samples = int(_ask_for_text("Samples of each eval?", "1", _is_samples))
        budget, is_paid = "", bool(asked.entries) and asked.api_base is None
        if is_paid:
            budget = _ask_for_text("Most dollars to spend? (empty for no limit)", "", _is_budget)
        arguments = [part for name in asked.names for part in ("-m", name)]
        arguments += ["--api-base", asked.api_base] if asked.api_base else []
        arguments += [*selection, "-e", experiment.name]
        arguments += ["--samples", str(samples)] if samples > 1 else []
        arguments += ["--budget", budget] if budget else []
        arguments += self._places
        count = len(asked.names) * len(evals) * samples
        attempts = format_count(count, "attempt")
        costs = ", which cost nothing but time"
        if is_paid:
            forecasts = [
                forecast_costs(
                    entry,
                    evals,
                    samples,
                    experiment.guidelines,
                    self._known.get((entry.slug, experiment.name)),
                )
                for entry in asked.entries
            ]
            costs = f": {format_cost_line(forecasts)}"
        say(f"{attempts}{costs}")
        say(shlex.join(["leaderboard", "run", *arguments]))
        return arguments if questionary.confirm("Run?", default=True).unsafe_ask() else None


def _ask_for_word(question: str, choices: Sequence[str]) -> str:
    """Ask for one of ``choices``."""
    return _ask_for_one(question, {choice: choice for choice in choices})


def _ask_for_one(question: str, choices: Mapping[str, Answer]) -> Answer:
    """Ask for one of the values of ``choices``, by its key."""
    lines = [Choice(*item) for item in choices.items()]
    return _wrap_choices(questionary.select(question, lines)).unsafe_ask()


def _ask_for_several(question: str, choices: Sequence[Choice] | Sequence[str]) -> list[str]:
    """Ask for one or more of ``choices``, which the user can search by typing."""
    prompt = questionary.checkbox(
        question,
        list(choices),
        validate=lambda chosen: bool(chosen) or "Choose with the space bar",
        use_search_filter=True,
        use_jk_keys=False,
        instruction=_TYPE,
    )
    return _wrap_choices(prompt).unsafe_ask()


def _wrap_choices(question: Question) -> Question:
    """Return ``question`` with long choices wrapped, because a narrow terminal would cut them."""
    for window in question.application.layout.find_all_windows():
        window.wrap_lines = Always()
    return question


def _ask_for_text(question: str, default: str, check: Callable[[str], bool | str] = bool) -> str:
    """Ask for a line of text; ``check`` returns True to accept it, or the text of an error."""
    return questionary.text(question, default, validate=check).unsafe_ask().strip()


def _is_samples(text: str) -> bool | str:
    fits = text.isdecimal() and 1 <= int(text) <= _MOST_SAMPLES
    return fits or f"A whole number from 1 to {_MOST_SAMPLES}"


def _is_budget(text: str) -> bool | str:
    try:
        return not text.strip() or 0 < float(text) < float("inf") or "More than 0"
    except ValueError:
        return "A number of dollars, such as 2.50"
