"""Seeded sessions for measurements: as runs give them, small sessions, and a session of 54 MB."""

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus, FromAttempt
from records.writer import encode_record
from tests.review.corpus import make_message, make_session

ROOT: Final = Path(__file__).parents[2]
RUN: Final = "0123456789abcdef"
LARGE_ROUNDS: Final = 5_000
"""Rounds of four messages in the large transcript."""


@cache
def read_words() -> Sequence[str]:
    """Return words of answers: those of the reference answers to all evals."""
    answers = sorted((ROOT / "evals").glob("*/*/answer/**/*.ts*"))
    return " ".join(path.read_text("utf-8") for path in answers).split()


def make_attempts(folder: DataFolder, count: int, seed: int) -> int:
    """Write sessions as runs give them; return how many bytes they are.

    140 prompts (70 evals, with and without guidelines), and an answer of its own for each.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    prompts = [
        " ".join(chance.choices(read_words(), k=120 if at % 2 else 3_500)) for at in range(140)
    ]
    total = 0
    folder.local.sessions.folder.mkdir(parents=True)
    for number in range(count):
        at = number % len(prompts)
        answer = " ".join(["query", f"zebra-{number}", *chance.choices(read_words(), k=800)])
        name = f"001-queries/{at // 2:03}-list"
        made = make_session(
            number,
            make_message("system", "You write backends for Convex."),
            make_message("user", prompts[at]),
            make_message("assistant", answer),
            title=name,
            model=f"maker/model-{number // 1400}",
            created_at=f"2026-{1 + number % 12:02}-01T00:00:00Z",
            eval_status=chance.choice(list(EvalStatus)),
            eval_tags=tuple(chance.sample(("auth", "lists", "crons", "files"), number % 3)),
        )
        source = FromAttempt(kind="attempt", run_id=RUN, eval=name, sample=1 + number)
        data = encode_record(made.model_copy(update={"source": source}))
        folder.get_session_file(made.id).write_bytes(data)
        total += len(data)
    return total


def write_chats(path: Path, count: int, seed: int, length: int) -> int:
    """Write a JSONL file of chats whose messages have ``length`` words; return its bytes."""
    chance = random.Random(seed)  # noqa: S311 - no secret

    def make_chat(number: int) -> dict[str, Any]:
        question, answer = (" ".join(chance.choices(read_words(), k=length)) for _ in range(2))
        return {
            "messages": [
                {"role": "user", "content": f"Question {number}: {question}"},
                {"role": "assistant", "content": f"Answer {number}: {answer}"},
            ]
        }

    return _write_lines(path, map(make_chat, range(count)))


def write_large(path: Path, seed: int) -> int:
    """Write a Claude Code transcript of 20,000 messages in one session; return its bytes."""
    chance = random.Random(seed)  # noqa: S311 - no secret

    def make_text(count: int) -> str:
        return " ".join(chance.choices(read_words(), k=count))

    def make_lines() -> Iterator[dict[str, Any]]:
        for at in range(LARGE_ROUNDS):
            call = {"type": "tool_use", "id": f"call-{at}", "name": "Read", "input": {"path": at}}
            result = {"type": "tool_result", "tool_use_id": f"call-{at}", "content": make_text(800)}
            yield _make_line(at * 4, "user", f"Request {at}: {make_text(40)}")
            yield _make_line(at * 4 + 1, "assistant", [call])
            yield _make_line(at * 4 + 2, "user", [result])
            answer = {"type": "text", "text": f"Answer {at}: {make_text(300)}"}
            yield _make_line(at * 4 + 3, "assistant", [answer])

    return _write_lines(path, make_lines())


def _make_line(number: int, role: str, content: object) -> dict[str, Any]:
    """Return a line of a Claude Code transcript."""
    message: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        usage = {"input_tokens": 10, "output_tokens": 100}
        message |= {"id": f"message-{number}", "model": "maker/model", "usage": usage}
    return {
        "type": role,
        "sessionId": "00000000-0000-4000-8000-000000000001",
        "uuid": f"00000000-0000-4000-9000-{number:012}",
        "parentUuid": f"00000000-0000-4000-9000-{number - 1:012}" if number else None,
        "timestamp": "2026-01-05T10:00:00.000Z",
        "isSidechain": False,
        "cwd": "/srv/app",
        "version": "2.0.0",
        "message": message,
    }


def _write_lines(path: Path, lines: Iterator[dict[str, Any]]) -> int:
    with path.open("w", encoding="utf-8") as file:
        return sum(file.write(f"{json.dumps(line)}\n") for line in lines)
