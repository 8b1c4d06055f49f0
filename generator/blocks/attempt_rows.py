"""The facts on a run and its attempts: settings, rows of attempts, and words for both."""

from collections.abc import Mapping

from generator.blocks.attributions import find_attribution
from generator.read.summaries import RunSummary
from generator.render.template_filters import format_value
from generator.render.templates import Row
from generator.site_data import SiteBasics
from records.runs import sent_parameters
from records.runs.failure_words import explain_attempt
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome
from records.shapes.registry import LIMIT_PARAMETERS
from records.shapes.run import Imported, Run, RunModel


def build_attempt_row(site: SiteBasics, summary: RunSummary, attempt: Attempt) -> Row:
    """Return an attempt with its verdict in words."""
    name, sample, regraded = attempt.eval, attempt.sample, None
    if attempt.earlier_verdicts:
        last = attempt.earlier_verdicts[-1]
        regraded = f"graded {last.outcome.value} before, on {last.graded_at.date()}"
    return Row(
        attempt=attempt,
        why=explain_attempt(attempt),
        eval=site.link_eval(name),
        tests_passed=f"{attempt.tests_passed} of {len(attempt.tests)}" if attempt.tests else "",
        fault=describe_fault(attempt.fault) if attempt.fault else None,
        attribution=find_attribution(site, summary.run_id, name, sample)
        if attempt.outcome is Outcome.FAILED
        else None,
        regraded=regraded,
    )


_FAULTS: Mapping[FaultClass, str] = {
    FaultClass.RATE_LIMITED: "the provider's limit of requests",
    FaultClass.PROVIDER_ERROR: "an error of the provider",
    FaultClass.PROVIDER_TIMEOUT: "the provider did not answer in time",
    FaultClass.CONNECTION_LOST: "the connection was lost",
    FaultClass.MALFORMED_REPLY: "the reply could not be read",
    FaultClass.EMPTY_REPLY: "the reply was empty",
    FaultClass.TRUNCATED_BY_SERVER: "the server cut the reply off",
    FaultClass.PROMPT_CUT_BY_SERVER: "the server cut the prompt",
    FaultClass.LIMIT_IGNORED: "the server ignored the limit on the reply",
    FaultClass.CONTENT_FILTER: "the provider's filter kept the reply back",
    FaultClass.AUTHENTICATION: "the provider did not accept the key",
    FaultClass.REFUSED_REQUEST: "the provider refused the request",
    FaultClass.BUDGET: "the budget was used up",
    FaultClass.SANDBOX: "the sandbox failed",
    FaultClass.BACKEND: "the backend failed",
    FaultClass.TOOLCHAIN: "the toolchain failed",
    FaultClass.GRADER: "the grader failed",
    FaultClass.OUTAGE: "an outage around the run",
}
"""The words for each class of fault."""


def describe_fault(fault: Fault) -> str:
    """Return a fault in words: its class and its evidence."""
    return f"{_FAULTS[fault.kind]}: {fault.evidence}"


_NAMED = {"reasoning_effort": "Reasoning effort", "temperature": "Temperature"}
"""The labels of the parameters that the page always shows, even if they were not sent."""

_ADDED = "added on the way, not asked for"
_NOT_PUBLISHED = "not published"
_SHORT = 12
"""The number of digits of a digest that are shown."""


def describe_settings(run: Run) -> dict[str, str | None]:
    """Return the prompt, reasoning effort, temperature, output limit and other parameters.

    A setting without a value is called `not published` for imported results, and left to the
    provider for our own runs.
    """
    model, limit = run.model, run.model.max_output_tokens
    if model.kind == "baseline":
        return {"Settings": "none: a baseline hands in files, and no model is asked"}
    imported = isinstance(run.provenance, Imported)
    if imported and not model.parameters and limit is None:
        return {"Prompt and settings": _NOT_PUBLISHED}
    unknown = _NOT_PUBLISHED if imported else "not set, left to the provider"
    digest = run.experiment.guidelines
    prompt = _NOT_PUBLISHED if imported else "the task, without guidelines"
    if digest is not None:
        prompt = f"the task, with guidelines {digest[:_SHORT]}"
    settings = sorted(model.parameters.keys() - _NAMED.keys() - LIMIT_PARAMETERS)
    additions = sent_parameters.find_added_parameters(
        dict.fromkeys(_NAMED) | model.parameters, model.sent or {}
    )
    return {
        "Asked as": model.litellm_id,
        "Prompt": prompt,
        **{label: _describe_setting(model, name, unknown) for name, label in _NAMED.items()},
        "Output limit": unknown if limit is None else f"{limit:,} tokens",
        **{name: _describe_setting(model, name, unknown) for name in settings},
        **{path: f"{format_value(each)}, {_ADDED}" for path, each in sorted(additions.items())},
    }


def _describe_setting(model: RunModel, name: str, unknown: str) -> str:
    """Return the requested value of a parameter, and the sent value if it differs."""
    sent = model.sent or {}
    values = sent_parameters.select_sent_values(name, model.parameters.get(name), sent).values()
    if name not in model.parameters:
        return next((f"{format_value(value)}, {_ADDED}" for value in values), unknown)
    wanted_value = format_value(model.parameters[name])
    if model.sent is None:
        return wanted_value
    differences = sent_parameters.find_changed_parameters({name: model.parameters[name]}, sent)
    sent_values = "; ".join(
        "nothing" if difference.sent is None else format_value(difference.sent)
        for difference in differences
    )
    return f"{wanted_value} asked for, {sent_values} sent" if sent_values else wanted_value
