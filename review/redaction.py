"""Redaction of texts, sessions and label logs: keys, addresses and home folders are removed."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import NamedTuple

from pydantic import JsonValue

from records.sessions.labels import LabelEvent
from records.sessions.session import FromFile, Session
from review.secret_rules.entropy import count_changes, find_random_strings
from review.secret_rules.headers import HEADERS
from review.secret_rules.named_values import NAMED_VALUES
from review.secret_rules.personal_data import PERSONAL_DATA
from review.secret_rules.rule import REMOVED, PossibleRules, SecretRule, apply_rule, fold_case
from review.secret_rules.secret_tokens import SHAPES, make_detect_secrets_rules, make_prefix_rule

_ESCAPE = re.compile(
    r"\\{1,7}(?:u00(?P<unicode>[0-9a-fA-F]{2})|x(?P<hex>[0-9a-fA-F]{2})|(?P<slash>/))"
    r"|[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]"
)
"""A JSON escape that may stand for a character of a key, or an invisible character."""

_OF_KEYS = re.compile(r"[A-Za-z0-9|/+=_.:~-]")
"""The characters of keys; other escaped characters, such as quotes, stay escaped."""

_WRAPPED = re.compile(
    r"(?<![A-Za-z0-9_+/=|:.-])(?P<first>[A-Za-z0-9_+/=|:.-]{3,200}+)"
    r"(?P<indent>\\?\r?\n[ \t]{0,40}+)(?P<rest>[A-Za-z0-9_+/=.-]{8,}+)"
)
_LEAST_CHANGES = 3
"""The fewest changes between kinds of characters in the second half of a key; words have fewer."""


def _read_escape(match: re.Match[str]) -> str:
    """Return the character of an escape if keys have it, and nothing for an invisible one."""
    code = match["unicode"] or match["hex"]
    if code is None:
        return match["slash"] or ""
    character = chr(int(code, 16))
    return character if _OF_KEYS.match(character) else match[0]


def _redact_wrapped(text: str, taken_out: Counter[str]) -> str:
    """Return ``text`` without the keys that begin at the end of a line and end on the next one.

    The removed keys are added to ``taken_out``.
    """
    pieces: list[str] = []
    end = position = 0
    while match := _WRAPPED.search(text, position):
        position = match.start("rest")  # this half may be the first half of another key
        start = match.start("first") + match["first"].rfind("=") + 1
        first, rest = text[start : match.end("first")], match["rest"]
        looks_random = count_changes(rest) >= _LEAST_CHANGES and re.search("[0-9]", rest)
        begins = re.search("[A-Za-z0-9]", first)
        if (
            begins
            and looks_random
            and _redact_once(f"{first}{rest}", Counter()).strip(".=") == REMOVED
        ):
            pieces += text[end:start], REMOVED, match["indent"], REMOVED
            end = position = match.end()
            taken_out["token of a provider"] += 1
    return "".join([*pieces, text[end:]])


_REMEMBERED = 256
"""Number of prompts whose redacted form is cached, enough for 70 evals under two experiments."""
_LONGEST_REMEMBERED = 50_000
"""Characters of a prompt; longer prompts are not cached, to limit memory."""

_MOST_PASSES = 4


def redact_text(text: str, counts: Counter[str] | None = None) -> str:
    """Return ``text`` without secrets. A home folder becomes ``~``, so paths stay readable.

    A secret may begin where another secret ends, so a changed text is redacted again. The number of
    removed secrets of each kind is added to ``counts``.
    """
    taken_out = Counter[str]() if counts is None else counts
    text = _redact_wrapped(text, taken_out)
    for _ in range(_MOST_PASSES):
        cleaner = _redact_once(text, taken_out)
        if cleaner == text:
            break
        text = cleaner
    if not _ESCAPE.search(text):
        return text
    # Lines that have a secret once their escapes are read; all other lines stay as they are.
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        plain = _ESCAPE.sub(_read_escape, line)
        clean = plain if plain == line else _redact_once(plain, taken_out)
        if clean != plain:
            lines[index] = clean
    return "".join(lines)


def _redact_once(text: str, taken_out: Counter[str]) -> str:
    small = fold_case(text)
    for rule in _make_possible_rules().find(text):
        cleaner = apply_rule(rule, text, small, taken_out)
        if cleaner != text:
            text, small = cleaner, fold_case(cleaner)
    return text


def redact_prompt(text: str) -> str:
    """Return the result of `redact_text`, from a cache if possible.

    The sessions of a run repeat the prompts of its evals.
    """
    return _redact_cached(text) if len(text) <= _LONGEST_REMEMBERED else redact_text(text)


_redact_cached = lru_cache(_REMEMBERED)(redact_text)


@cache
def list_rules() -> tuple[SecretRule, ...]:
    """Return the rules in the order in which they are applied."""
    return (
        *SHAPES,
        *make_detect_secrets_rules(),
        make_prefix_rule(),
        *HEADERS,
        *NAMED_VALUES,
        *PERSONAL_DATA,
    )


@cache
def _make_possible_rules() -> PossibleRules:
    return PossibleRules(list_rules())


_NO_TEXTS = frozenset(
    {
        *("id", "at", "undoes", "replaces", "reviewer", "field", "turn", "via", "blind", "seen"),
        *("audit", "decides"),
    }
)
"""Fields of an event without text of people or models, which are not redacted."""


class RedactedCopy(NamedTuple):
    """The redacted form of a session and of its labels."""

    session: Session
    events: Sequence[LabelEvent]
    taken_out: Mapping[str, int]
    """Number of removed secrets, by kind."""
    looks_secret: Sequence[str]
    """Remaining strings that look like secrets, each once."""


def make_redacted_copy(session: Session, events: Sequence[LabelEvent], digest: str) -> RedactedCopy:
    """Return the redacted copy of a session; ``digest`` is the digest of its transcript."""
    taken_out: Counter[str] = Counter()
    clean = partial(redact_text, counts=taken_out)
    source = session.source
    if isinstance(source, FromFile):
        names = ("name", "part", "identity")
        present = {name: getattr(source, name) for name in names}
        cleaned = {name: text and clean(text) for name, text in present.items()}
        source = source.model_copy(update=cleaned)
    redacted = clean_texts(session, clean, clean).model_copy(
        update={"source_digest": digest, "source": source}
    )
    clean_events = [_clean_event(event, clean) for event in events]
    texts = list_session_texts(redacted)
    for event in clean_events:
        texts += event.reason, json.dumps([event.before, event.after])
    looks_secret = dict.fromkeys(part for text in texts for part in find_random_strings(text))
    return RedactedCopy(redacted, clean_events, taken_out, [*looks_secret])


def clean_texts(
    session: Session, clean: Callable[[str], str], clean_prompt: Callable[[str], str]
) -> Session:
    """Return a session with the results of ``clean`` as its texts; its source stays.

    Args:
        session: the session.
        clean: returns a text without secrets.
        clean_prompt: does the same for texts of users and system prompts, which may be repeated.
    """
    messages = tuple(
        message.model_copy(
            update={
                "text": (clean_prompt if message.role in {"system", "user"} else clean)(
                    message.text
                ),
                "tool_calls": tuple(
                    call.model_copy(update={"arguments": clean(call.arguments)})
                    for call in message.tool_calls
                ),
            }
        )
        for message in session.messages
    )
    return session.model_copy(
        update={
            "messages": messages,
            "title": clean(session.title),
            "project": session.project and clean(session.project),
            "eval_notes": clean(session.eval_notes),
            "eval_tags": tuple(map(clean, session.eval_tags)),
            "expected_output": session.expected_output and clean(session.expected_output),
        }
    )


def list_session_texts(session: Session) -> list[str]:
    """Return the texts of a session that people, models and programs wrote."""
    texts = [
        session.title,
        session.project or "",
        session.eval_notes,
        *session.eval_tags,
        session.expected_output or "",
    ]
    for message in session.messages:
        texts += message.text, *(call.arguments for call in message.tool_calls)
    return texts


def redact_events(events: Iterable[LabelEvent]) -> list[LabelEvent]:
    """Return label events without secrets in their texts."""
    return [_clean_event(event, redact_text) for event in events]


def _clean_event(event: LabelEvent, clean: Callable[[str], str]) -> LabelEvent:
    """Return an event with the results of ``clean``, also in fields of newer programs."""

    def clean_value(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, list):
            return [clean_value(item) for item in value]
        if isinstance(value, dict):
            return {key: clean_value(item) for key, item in value.items()}
        return value

    fields: dict[str, JsonValue] = event.model_dump(mode="json")
    cleaned = {
        name: value if name in _NO_TEXTS else clean_value(value) for name, value in fields.items()
    }
    return LabelEvent.model_validate_json(json.dumps(cleaned))
