"""Speed of many and of long sessions: `python -m tests.benchmarks.bench_sessions`.

The parts are `lists` (index, lists, changes of all and the command, over sessions as runs give
them), `exports` (of the same sessions), `many` (50,000 small sessions) and `large` (one session of
54 MB). Times are on the clock, and of the processor, for the machine may have other work. Commands
are processes of their own, as a user starts them; their memory is the largest resident set that the
kernel saw (`ru_maxrss`).
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from generator.scores.intervals import compute_session_interval
from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus, FromAttempt
from records.writer import encode_record
from review.bulk_changes import BulkLabels
from review.desk.desk import Desk
from review.desk.pages import judging, lists
from review.exports.formats import FORMATS
from review.index.indexed_session import make_alias
from review.index.session_index import SessionIndex
from review.selection import SessionSelection
from review.store import SessionStore
from tests.review.corpus import make_message, make_session
from tests.review.labelling import give_labels

ROOT = Path(__file__).parents[2]
RUN = "0123456789abcdef"
LARGE_ROUNDS = 5_000
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


PARTS = ("lists", "exports", "many", "large")
_MEASURE = """
import resource, subprocess, sys
null = subprocess.DEVNULL
code = subprocess.run(sys.argv[1:], stdout=null, stderr=null).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""Runs a command from a small process: the kernel counts the memory of the starting process."""
LISTS = {
    "the first page": "",
    "the hundredth page": "page=100",
    "one status": "status=golden",
    "tag, model and date": "tag=auth&model=maker%2Fmodel-3&since=2026-01-01",
    "a word that stands in few": "q=zebra-1234",
    "a word that stands in all": "q=query",
    "a word of two letters": "q=zq",
}


def time_call(what: Callable[[], object]) -> tuple[float, float]:
    """Return seconds on the clock, and of processor time."""
    began, used = time.perf_counter(), time.process_time()
    what()
    return time.perf_counter() - began, time.process_time() - used


def add_up_numbers() -> None:
    """Add up three million numbers: the speed of the machine at the moment."""
    total = 0
    for number in range(3_000_000):
        total += number


def time_list_after_label(desk: Desk, number: int) -> tuple[float, float]:
    """Give a session a status that it does not have, and time the list that comes next."""
    session = desk.store.read(f"session-{number:04}").session
    status = "correct" if session.eval_status is EvalStatus.GOLDEN else "golden"
    give_labels(desk.store, session.id, {"evalStatus": status}, via="desk")
    return time_call(lambda: lists.render_list_page(desk, "", evals=False))


def tell(name: str, rounds: Sequence[tuple[float, float]]) -> None:
    """Print times on the clock, and the median of processor times."""
    clocks = [clock for clock, _ in rounds]
    processor = statistics.median(used for _, used in rounds)
    print(
        f"{name}: {min(clocks) * 1e3:.0f} to {max(clocks) * 1e3:.0f} ms, "
        f"median {statistics.median(clocks) * 1e3:.0f}, processor {processor * 1e3:.0f}"
    )


def make_index(folder: DataFolder) -> None:
    """Make the index of all files."""
    store = SessionStore(folder)
    clock, used = time_call(lambda: SessionIndex(store).list_ids(SessionSelection(limit=1)))
    size = sum(path.stat().st_size for path in folder.cache.glob("sessions*"))
    print(f"index made: {clock:.1f} s, {used:.1f} s of processor time; {size / 1e6:.0f} MB")


def make_desk(folder: DataFolder) -> Desk:
    """Return a desk over the sessions."""
    return Desk(SessionStore(folder), ROOT / "site_templates" / "assets", compute_session_interval)


def measure_lists(folder: DataFolder, rounds: int) -> None:
    """Measure the lists, a label, changes of all sessions and the command."""
    make_index(folder)
    desk = make_desk(folder)
    time.sleep(0.2)
    for name, query in LISTS.items():
        tell(
            name,
            [
                time_call(partial(lists.render_list_page, desk, query, evals=False))
                for _ in range(rounds)
            ],
        )
    tell(
        "the first page after a label",
        [time_list_after_label(desk, number) for number in range(rounds)],
    )
    change_all(desk)
    for arguments in ((), ("--search", "zebra-1234"), ("--json",)):
        run(folder, " ".join(("session list", *arguments)), "session", "list", *arguments)


def change_all(desk: Desk) -> None:
    """Change all sessions at once, and undo that, as the desk's thread does."""
    ids = desk.index.list_ids(SessionSelection())
    labels = BulkLabels(ready=True, added=("bulk",))
    change = desk.bulk.begin(labels, ids, "p1", refused={}, back="")
    for name in ("all changed", "all taken back"):
        clock, used = time_call(lambda: desk.bulk.start(change).join())
        print(f"{name}: {clock:.1f} s, {used:.1f} s of processor time")
        if not change.is_taken_back:
            change.begin_to_take_back("p1")
    assert len(change.list_lines("undone")) == len(ids)


def measure_many(folder: DataFolder, count: int, rounds: int) -> None:
    """Measure importing and judging of very many small sessions."""
    chats = folder.root / "chats.jsonl"
    size = write_chats(chats, count, seed=1, length=12)
    run(folder, f"import of {count} sessions, {size / 1e6:.0f} MB", "session", "import", chats)
    make_index(folder)
    desk = make_desk(folder)
    tell(
        "the first page",
        [time_call(partial(lists.render_list_page, desk, "", evals=False)) for _ in range(rounds)],
    )
    ids = desk.index.to_judge()
    waits: list[tuple[float, float]] = []
    for position in range(rounds):
        give_labels(desk.store, ids[position], {"evalStatus": "golden"}, via="desk")
        after = f"after={make_alias(ids[position])}"
        time.sleep(1)  # so that comparisons in the background run between the questions
        waits.append(time_call(partial(judging.redirect_to_next_session, desk, after)))
    tell("the next question after a label", waits)
    run(folder, "session list --search", "session", "list", "--search", "Question 4321:")
    began = time.perf_counter()
    copy = desk.store.folder.get_session_file(ids[0]).read_text().replace(ids[0], "copied-by-hand")
    desk.store.folder.local.sessions.get_file("copied-by-hand").write_text(copy)
    while "copied-by-hand" not in desk.index.list_ids(SessionSelection()):
        time.sleep(0.1)
    print(f"a file that another program wrote is seen after {time.perf_counter() - began:.1f} s")


def measure_large(folder: DataFolder, rounds: int) -> None:
    """Measure one session of 54 MB: import, page, label, index."""
    transcript = folder.root / "large.jsonl"
    size = write_large(transcript, seed=1)
    run(folder, f"import of one session, {size / 1e6:.0f} MB", "session", "import", transcript)
    run(folder, "import again", "session", "import", transcript)
    (path,) = folder.list_session_files()
    make_index(folder)
    desk = make_desk(folder)
    clock, used = time_call(lambda: judging.render_session_page(desk, path.stem, ""))
    print(f"its page: {clock:.2f} s, {used:.2f} s of processor time")
    pages = [
        partial(judging.render_session_page, desk, path.stem, f"part={n + 2}")
        for n in range(rounds)
    ]
    tell("further parts of it", list(map(time_call, pages)))
    for name, query in (("a label and the next question", ""), ("the list", "q=Answer 4321:")):
        tell(name, [time_label_and_list(desk, path.stem, at, query) for at in range(rounds)])
    print(
        f"memory of the desk: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
    )
    run(folder, "session label", "session", "label", path.stem, "--notes", "measured")


def time_label_and_list(desk: Desk, session_id: str, at: int, query: str) -> tuple[float, float]:
    """Label a session and ask for the list; return the times of both together."""

    def label_and_ask() -> None:
        give_labels(desk.store, session_id, {"evalNotes": f"note {at} {query}"}, via="desk")
        lists.render_list_page(desk, query, evals=False)

    return time_call(label_and_ask)


def run(folder: DataFolder, name: str, *arguments: str | Path) -> None:
    """Run a command as a fresh process; print its times and memory."""
    command = [sys.executable, "-m", "leaderboard", *arguments, "--data", folder.root]
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *command], stdout=subprocess.PIPE, text=True, check=True
    )
    clock = time.perf_counter() - began
    code, used, memory = map(float, done.stdout.split())
    if code:
        raise AssertionError(f"{name}: ended with {code:.0f}")
    print(f"{name}: {clock:.2f} s, {used:.2f} s of processor time, {memory / 1024:.0f} MiB")


def export(folder: DataFolder, name: str) -> None:
    """Export all sessions in a format; print its times, memory and the size of the file."""
    out = folder.root / "local" / f"export-{name}"
    run(folder, name, "export", "--all", "--format", name, "--out", out)
    print(f"  {out.stat().st_size / 1e6:.0f} MB written")
    out.unlink()


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--many", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=20261124)
    parser.add_argument("--formats", nargs="*", default=list(FORMATS), choices=list(FORMATS))
    parser.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS)
    options = parser.parse_args()
    rounds: int = options.rounds
    if {"lists", "exports"} & set(options.parts):
        with make_data_folder() as folder:
            size = make_attempts(folder, options.sessions, options.seed)
            print(f"{options.sessions} sessions, {size / 1e6:.0f} MB")
            if "lists" in options.parts:
                measure_lists(folder, rounds)
            for name in options.formats if "exports" in options.parts else ():
                export(folder, name)
    for name, measure in (
        ("many", partial(measure_many, count=options.many)),
        ("large", measure_large),
    ):
        if name in options.parts:
            with make_data_folder() as folder:
                measure(folder, rounds=rounds)


@contextmanager
def make_data_folder() -> Generator[DataFolder]:
    """Yield an empty data folder; print the speed of the machine before and after."""
    with tempfile.TemporaryDirectory() as root:
        print(f"loop {time_call(add_up_numbers)[0]:.2f} s")
        yield DataFolder(Path(root))
        print(f"loop {time_call(add_up_numbers)[0]:.2f} s")


if __name__ == "__main__":
    main()
