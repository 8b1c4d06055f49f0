"""Results that promptfoo wrote by `promptfoo eval -o FILE.json`, version 3 of its summary.

A provider is a model. If a file has several prompts, each prompt is a variant of the model.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from records.foreign.files import MOST_ROWS, FilePart, ForeignFile
from records.shapes.attempt import NO_TOKENS, Generation, Outcome, Tokens
from records.suites.benchmark import compute_texts_digest
from records.suites.result_formats import ResultFormat
from records.text.visible import make_one_line
from runner.published_results import board_results

_VERSION = 3
_PASSED, _FAILED, _ERROR = 0, 1, 2
"""The values of ``failureReason``."""
_ENDS = ((_PASSED, True), (_FAILED, False), (_ERROR, False))
"""The values of ``failureReason`` and ``success`` that a row can have."""
_DRAWN = ("sessionId",)
"""Variables that promptfoo draws anew for each run."""
_PROTOCOLS = frozenset(
    """
    chat completion converse feature-extraction live messages realtime responses sentence-similarity
    text-classification text-generation token-classification
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Words between a host and a model that name how the model is asked."""
_PROGRAMS_IN_FILES = frozenset(
    {"exec", "file", "go", "golang", "javascript", "package", "python", "ruby"}
)
_PROGRAMS = _PROGRAMS_IN_FILES | {"a2a", "http", "https", "webhook", "ws", "wss"}
"""Beginnings of ids that name a program, a file or an address instead of a model."""
_OTHER_NAMES = {"azureopenai": "azure", "hf": "huggingface", "togetherai": "together"}
"""Hosts that have two names."""
_OF_ACCOUNT = re.compile(r"accounts/([^/]+)/(?:models|deployments)/(.+)", re.DOTALL)
_SECRETS = re.compile(r"\A(?:[a-z0-9]+:)?//(?:[^/?#@]*@)?|[?#].*", re.DOTALL)
"""The parts of an address that are no name, and may hold a key."""


class PromptfooModel(NamedTuple):
    """The model of a provider, with the differences from other providers of this model."""

    model: str
    """The name, with the maker's name before it if the id has one."""
    detail: str | None = None
    """The host of another maker's model, or the folder of a program."""
    protocol: str | None = None
    """How the model is asked, where the id says so."""


def name_providers(ids: Iterable[str]) -> dict[str, PromptfooModel]:
    """Return the model of each id; its protocol is told only where the model has several."""
    models = {identity: _parse_provider(identity) for identity in dict.fromkeys(ids)}
    counts = Counter((model.model, model.detail) for model in models.values())
    return {
        identity: model
        if counts[model.model, model.detail] > 1
        else PromptfooModel(model.model, model.detail)
        for identity, model in models.items()
    }


def _parse_provider(identity: str) -> PromptfooModel:
    """Return the model that the id of a provider names."""
    host, colon, rest = identity.strip().partition(":")
    if not colon or "/" in host:
        return PromptfooModel(identity)
    if host in _PROGRAMS:
        # A program has its file or its host as name; the rest of an address may hold a key.
        whole = _SECRETS.sub("", rest.strip()).strip("/")
        if host in _PROGRAMS_IN_FILES:
            folder, _, name = whole.rpartition("/")
        else:
            name, _, folder = whole.partition("/")
        return PromptfooModel(f"{host}/{name or 'program'}", folder or None)
    host = _OTHER_NAMES.get(host, host)
    word, colon, after = rest.partition(":")
    protocol = word if colon and after and word in _PROTOCOLS else None
    name = rest if protocol is None else after
    if (account := _OF_ACCOUNT.fullmatch(name)) is not None:
        name = "/".join(account.groups())
    if "/" in name:
        return PromptfooModel(name, host, protocol)
    return PromptfooModel(f"{host}/{name}" if name else host, None, protocol)


def _read_verdict(
    row: FilePart, choices: board_results.ResultChoices
) -> tuple[Outcome, str | None]:
    """Return the verdict on a row; errors of providers and of promptfoo are none."""
    reason, success = row.get("failureReason"), row.get("success")
    # Python's True equals 1, and False equals 0.
    is_typed = type(reason) is int and isinstance(success, bool)
    if not is_typed or (reason, success) not in _ENDS:
        raise row.file.make_error(
            row.place, f"success {success!r:.20} with failureReason {reason!r:.20} is unknown"
        )
    if reason == _ERROR:
        message = row.get_line("error", board_results.LONGEST_REASON)
        return Outcome.INFRASTRUCTURE, message or "an error without words"
    passed = success is True
    if choices.passes_at is not None:
        score = row.get_number("score")
        passed = score is not None and choices.is_pass(row, "score", score)
    if passed:
        return Outcome.PASSED, None
    reason = row.get_part("gradingResult").get("reason") or row.get("error")
    return Outcome.FAILED, row.file.shorten(reason, board_results.LONGEST_REASON)


def _read_generation(row: FilePart) -> Generation | None:
    """Return tokens, cost and time as the provider reported them.

    The sums beside the reply are 0 if the provider reported nothing, and a reply from the cache
    took no time of the model.
    """
    reply = row.get_part("response")
    if reply.get("cached"):
        return None
    usage = reply.get_part("tokenUsage")
    milliseconds = row.get_number("latencyMs")
    return board_results.make_generation(
        Tokens(
            input=usage.get_count("prompt"),
            cached_input=None,
            output=usage.get_count("completion"),
            reasoning=None,
        )
        if usage.get_count("total")
        else NO_TOKENS,
        cost_usd=reply.get_number("cost"),
        duration_s=None if milliseconds is None else milliseconds / 1000,
    )


def recognises(file: ForeignFile) -> bool:
    """Return whether a file has the outer fields of promptfoo's output."""
    return "evalId" in file.fields and isinstance(file.fields.get("results"), dict)


def read(file: ForeignFile, choices: board_results.ResultChoices) -> board_results.BoardResults:
    """Return the results of a file.

    Raises:
        InvalidRecordError: it is of another version, or a row has values of unknown meaning.
    """
    summary = file.root.require_part("results")
    if summary.get("version") != _VERSION:
        raise summary.make_error("version", f"is {summary.get('version')!r:.20}: only 3 is read")
    number = len(summary.require_list("results"))
    if not 1 <= number <= MOST_ROWS:
        raise summary.make_error("results", f"has {number} rows, not 1 to {MOST_ROWS}")
    rows = list(summary.list_parts("results"))
    task = file.root.get_part("config").get_line("description", 150) or "promptfoo"
    # A provider's label is a model's name, or else its id says which.
    each_provider = dict.fromkeys(map(_identify_provider, rows))
    models = name_providers(identity for identity, label in each_provider if not label)
    providers = {
        (identity, label): PromptfooModel(label) if label else models[identity]
        for identity, label in each_provider
    }
    # Each prompt has a name of its own, unless there is only one.
    labels: dict[str, str] = {}
    for row in rows:
        label = row.require_part("prompt").get_line("label", 80) or "prompt"
        labels.setdefault(_identify_prompt(row), label)
    equal = Counter(labels.values())
    prompts = {
        identity: label if equal[label] == 1 else f"{label} ({prompt_number})"
        for prompt_number, (identity, label) in enumerate(labels.items(), 1)
    }
    if len(labels) == 1:
        prompts = dict[str, str | None].fromkeys(labels)
    described = {(_digest_content(row), _get_description(row)) for row in rows}
    names = Counter(name for _, name in described if name)
    results: dict[tuple[str, str | None], list[board_results.SampleResult]] = {}
    seen = Counter[tuple[str, str | None, str]]()
    columns: dict[tuple[str, str | None], int | None] = {}
    for row in rows:
        named = providers[_identify_provider(row)]
        details = (named.detail, named.protocol, prompts[_identify_prompt(row)])
        key = named.model, ", ".join(filter(None, details)) or None
        column = row.get_count("promptIdx")
        if columns.setdefault(key, column) != column:
            # They may have asked with other settings.
            asked = ", ".join(filter(None, key))
            raise row.make_error(
                "promptIdx",
                f"columns {columns[key]} and {column} are both of {asked}: give each provider a "
                "label of its own",
            )
        content, description = _digest_content(row), _get_description(row)
        seen[*key, content] += 1
        outcome, reason = _read_verdict(row, choices)
        index = row.get_count("testIdx")
        result = file.validate_facts(
            board_results.SampleResult,
            row.place,
            task=task,
            sample=description if description and names[description] == 1 else content[:12],
            label=description or (f"test {index + 1}" if index is not None else None),
            content=content,
            repetition=seen[*key, content],
            outcome=outcome,
            reason=reason,
            generation=None if outcome is Outcome.INFRASTRUCTURE else _read_generation(row),
        )
        results.setdefault(key, []).append(result)
    version = file.root.get_part("metadata").get("promptfooVersion")
    return board_results.make_board_results(
        file,
        choices,
        format=ResultFormat.PROMPTFOO,
        tool=file.shorten(f"promptfoo {version or ''}", 100),
        name=task,
        runs=tuple(
            file.validate_facts(
                board_results.ModelResults,
                "results",
                model=model,
                variant=variant,
                identity=file.root.get_text("evalId"),
                began_at=summary.get_moment("timestamp"),
                results=tuple(each),
            )
            for (model, variant), each in results.items()
        ),
    )


def _digest_content(row: FilePart) -> str:
    """Return a digest of a test: its variables and its assertions."""
    test = row.require_part("testCase")
    values = {
        name: value
        for name, value in test.get_part("vars").fields.items()
        if name not in _DRAWN and not name.startswith("_")
    }
    return compute_texts_digest(json.dumps([values, test.get("assert")], sort_keys=True))


def _get_description(row: FilePart) -> str | None:
    return row.require_part("testCase").get_line("description", board_results.LONGEST_NAME)


def _identify_prompt(row: FilePart) -> str:
    """Return the identity of the prompt's template."""
    identity = row.get("promptId")
    return identity if isinstance(identity, str) else row.require_part("prompt").get_text("label")


def _identify_provider(row: FilePart) -> tuple[str, str]:
    """Return the id of a row's provider, and its own label in one line; empty if it has none."""
    provider = row.require_part("provider")
    identity, label = provider.get_text("id"), provider.get("label")
    return identity, make_one_line(label) if isinstance(label, str) and label != identity else ""
