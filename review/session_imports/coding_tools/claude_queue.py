"""The queue of Claude Code for prompts that a person types while the model is at work.

The queue writes a `queue-operation` when a prompt comes (`enqueue`), when it becomes the next
request (`dequeue`), when the running turn takes it (`remove`), and when all prompts go back to the
input (`popAll`). Mostly, the prompt also has a record of its own: an attachment (`queued_command`)
or a message of the user. A prompt becomes one message, whichever of these records the file has.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from records.foreign.fields import as_fields, as_items, find_text, get_object, get_text
from review.session_imports.coding_tools.claude_authors import is_entered
from review.session_imports.coding_tools.claude_records import ClaudeRecord, is_queued_prompt

_TAKES: Final = frozenset({"dequeue", "remove"})


@dataclass(slots=True)
class _Waiting:
    """A prompt in the queue."""

    content: object
    time: object
    place: int
    """The number of records before it was typed."""
    words: str
    taken_by: ClaudeRecord | None = None
    """The record that takes it out of the queue."""
    answers: int = 0
    """The number of answers before that record."""
    is_joined: bool = False
    """Whether the next request has it together with others, or in other words."""


@dataclass(frozen=True, slots=True)
class _OwnRecord:
    """The position of a request that has a record of its own."""

    place: int
    answers: int
    is_typed: bool
    """Whether it is a message of the user, which need not come from the queue."""


@dataclass(slots=True)
class _Queue:
    """The prompts of a session, with the records that the file has for them."""

    waiting: deque[_Waiting] = field(default_factory=deque[_Waiting])
    """The prompts that were typed; those that were taken are removed when they are first."""
    by_words: dict[str, deque[_Waiting]] = field(default_factory=dict[str, deque[_Waiting]])
    taken: list[_Waiting] = field(default_factory=list[_Waiting])
    sent: dict[str, list[_Waiting]] = field(default_factory=dict[str, list[_Waiting]])
    """Prompts that left the queue for the next request, which did not come yet, by text."""
    own_records: dict[str, list[_OwnRecord]] = field(default_factory=dict[str, list[_OwnRecord]])
    """The requests with records of their own, by text."""
    answers: int = 0
    """The number of answers so far."""
    of_this_answer: dict[str, ClaudeRecord] = field(default_factory=dict[str, ClaudeRecord])
    """The requests since the last answer, by text."""

    def take_operation(self, place: int, record: ClaudeRecord) -> None:
        """Read a change of the queue."""
        operation = get_text(record.fields, "operation")
        content: object = record.fields.get("content")
        words = _read_words(content)
        named = _Waiting(content, record.fields.get("timestamp"), place, words)
        if operation == "enqueue" and content:
            self.waiting.append(named)
            self.by_words.setdefault(words, deque()).append(named)
        elif operation == "popAll":
            self.waiting.clear()
            self.by_words.clear()
        elif operation in _TAKES:
            line = self.by_words.get(words, deque()) if content else self.waiting
            while line and line[0].taken_by is not None:
                line.popleft()
            prompt = line.popleft() if line else named
            if prompt is not named or (content and operation == "remove"):
                prompt.taken_by, prompt.answers = record, self.answers
                self.taken.append(prompt)
                if operation == "dequeue":
                    self.sent.setdefault(prompt.words, []).append(prompt)

    def take_request(self, place: int, record: ClaudeRecord) -> None:
        """Read a record that is a request; a request that has two records keeps the first."""
        text = _read_words(record.content)
        earlier = self.of_this_answer.setdefault(text, record)
        if text and earlier is not record and earlier.kind != record.kind:
            (record if record.prompt is not None else earlier).prompt = None
            self.of_this_answer[text] = record if record.is_spoken else earlier
            return
        for words in {text, *map(_read_words, as_items(record.content))}:
            own = _OwnRecord(place, self.answers, record.kind == "user")
            self.own_records.setdefault(words, []).append(own)
        is_typed = record.kind == "user" and is_entered(record.author, record.content)
        if is_typed and text not in self.sent:
            for prompts in self.sent.values():
                for prompt in prompts:
                    prompt.is_joined = True
            self.sent.clear()

    def take_answer(self) -> None:
        """Read an answer, behind which no request for earlier prompts comes."""
        self.answers += 1
        self.sent.clear()
        self.of_this_answer.clear()

    def give_prompts(self) -> None:
        """Give the prompts that have no record of their own to the records that took them."""
        for prompt in sorted(self.taken, key=lambda prompt: prompt.place, reverse=True):
            own = self.own_records.get(prompt.words, [])
            while own and own[-1].is_typed and own[-1].answers > prompt.answers:
                own.pop()
            if own and own[-1].place >= prompt.place:
                own.pop()
            elif prompt.taken_by is not None and not prompt.is_joined:
                prompt.taken_by.prompt = prompt.content
                prompt.taken_by.prompt_time = prompt.time


def find_prompts(records: Iterable[ClaudeRecord]) -> None:
    """Set the prompts of the records of a session, which come in the order of the file."""
    queue = _Queue()
    sources: set[str] = set()
    for place, record in enumerate(records):
        if is_queued_prompt(record.fields):
            _read_attachment(record, sources)
        if record.is_of_a_helper:
            continue
        if record.kind == "queue-operation":
            queue.take_operation(place, record)
        elif record.kind == "assistant":
            queue.take_answer()
        elif record.is_spoken and not record.answered_calls:
            sources.add(record.key)
            queue.take_request(place, record)
    queue.give_prompts()


def _read_attachment(record: ClaudeRecord, sources: set[str]) -> None:
    """Set the prompt of a `queued_command`, unless a record before it has the same source."""
    attachment = get_object(record.fields, "attachment")
    source = find_text(attachment, "source_uuid")
    if source in sources:
        return
    if source is not None:
        sources.add(source)
    record.prompt = attachment.get("prompt")
    times = (record.fields.get("timestamp"), attachment.get("timestamp"))
    record.prompt_time = next((time for time in times if time is not None), None)


def _read_words(content: object) -> str:
    """Return the words of a content, by which the records of a prompt are recognised."""
    if isinstance(content, str):
        return content.strip()
    parts = as_items(content) or [content]
    texts = [part if isinstance(part, str) else as_fields(part).get("text") for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()
