"""Index of sessions, lists, exports: `python -m tests.benchmarks.bench_sessions`.

Sessions are attempts as runs give them: 140 prompts (70 evals, with and without guidelines), and an
answer of its own for each. Times are on the clock, and of this process's processor time where the
machine has other work. Each export is a process of its own, as a user starts it; its memory is the
largest resident set that the kernel saw (`ru_maxrss`).
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from leaderboard.comparison_table import interval_over_sessions
from records.folder import DataFolder
from records.session import EvalStatus, FromAttempt
from records.writer import record_bytes
from review.desk import lists
from review.desk.pages import Desk
from review.exports.formats import FORMATS
from review.index.index import SessionIndex
from review.selection import SessionSelection
from review.store import SessionStore
from tests.review.corpus import said, session

ROOT: Final = Path(__file__).parents[2]
RUN: Final = "0123456789abcdef"
LISTS: Final = {
    "the first page": "",
    "the hundredth page": "page=100",
    "one status": "status=golden",
    "tag, model and date": "tag=auth&model=maker%2Fmodel-3&since=2026-01-01",
    "a word that stands in few": "q=zebra-1234",
    "a word that stands in all": "q=query",
    "a word of two letters": "q=zq",
}


def words() -> list[str]:
    """Return words as answers have them: of the reference answers to all evals."""
    answers = sorted((ROOT / "evals").glob("*/*/answer/**/*.ts*"))
    return " ".join(path.read_text("utf-8") for path in answers).split()


def make(folder: DataFolder, count: int, seed: int) -> int:
    """Write the sessions; return how many bytes they are."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    known = words()
    prompts = [" ".join(chance.choices(known, k=120 if at % 2 else 3_500)) for at in range(140)]
    folder.session_folders[0].mkdir(parents=True)
    total = 0
    for number in range(count):
        at = number % len(prompts)
        answer = " ".join(["query", f"zebra-{number}", *chance.choices(known, k=800)])
        name = f"001-queries/{at // 2:03}-list"
        made = session(
            number,
            said("system", "You write backends for Convex."),
            said("user", prompts[at]),
            said("assistant", answer),
            title=name,
            model=f"maker/model-{number // 1400}",
            created_at=f"2026-{1 + number % 12:02}-01T00:00:00Z",
            eval_status=chance.choice(list(EvalStatus)),
            eval_tags=tuple(chance.sample(("auth", "lists", "crons", "files"), number % 3)),
        )
        source = FromAttempt(kind="attempt", run_id=RUN, eval=name, sample=1 + number)
        data = record_bytes(made.model_copy(update={"source": source}))
        folder.session_file(made.id).write_bytes(data)
        total += len(data)
    return total


def timed(what: Callable[[], object]) -> tuple[float, float]:
    """Return seconds on the clock, and of processor time."""
    began, used = time.perf_counter(), time.process_time()
    what()
    return time.perf_counter() - began, time.process_time() - used


def loop() -> None:
    """Add up three million numbers: how quick the machine is at the moment."""
    total = 0
    for number in range(3_000_000):
        total += number


def after_a_label(desk: Desk, number: int) -> tuple[float, float]:
    """Give a session a status that it does not have, and time the list that comes next."""
    one = desk.store.read(f"session-{number:04}").session
    status = "correct" if one.eval_status is EvalStatus.GOLDEN else "golden"
    desk.store.label(one.id, {"evalStatus": status}, via="desk")
    return timed(lambda: lists.sessions_page(desk, ""))


def tell(name: str, rounds: Sequence[tuple[float, float]]) -> None:
    """Print times on the clock, and the median of processor times."""
    clocks = [clock for clock, _ in rounds]
    processor = statistics.median(used for _, used in rounds)
    print(
        f"{name}: {min(clocks) * 1e3:.0f} to {max(clocks) * 1e3:.0f} ms, "
        f"median {statistics.median(clocks) * 1e3:.0f}, processor {processor * 1e3:.0f}"
    )


def lists_of(folder: DataFolder, rounds: int) -> None:
    """Measure making the index, and the lists that it answers."""
    store = SessionStore(folder)
    clock, used = timed(lambda: SessionIndex(store).counts(SessionSelection()))
    index = sum(path.stat().st_size for path in folder.cache.iterdir())
    print(f"index made: {clock:.1f} s, {used:.1f} s of processor time; {index / 1e6:.0f} MB")
    desk = Desk(store, ROOT / "site_templates" / "assets", interval_over_sessions)
    time.sleep(0.2)
    for name, query in LISTS.items():
        tell(name, [timed(partial(lists.sessions_page, desk, query)) for _ in range(rounds)])
    tell("the first page after a label", [after_a_label(desk, one) for one in range(rounds)])


def export(folder: DataFolder, name: str) -> None:
    """Export all sessions in a format by a fresh process; print its times, memory and file."""
    out = folder.root / "local" / f"export-{name}"
    command = ("export", "--all", "--format", name, "--out", out, "--data", folder.root)
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "leaderboard", *command], stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    clock = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise AssertionError(f"{name}: ended with {process.returncode}")
    print(
        f"{name}: {clock:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor time, "
        f"{used.ru_maxrss / 1024:.0f} MiB; {out.stat().st_size / 1e6:.0f} MB written"
    )
    out.unlink()


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=20261124)
    parser.add_argument("--formats", nargs="*", default=list(FORMATS), choices=list(FORMATS))
    parser.add_argument("--only-exports", action="store_true")
    given = parser.parse_args()
    rounds: int = given.rounds
    with tempfile.TemporaryDirectory() as root:
        folder = DataFolder(Path(root))
        size = make(folder, given.sessions, given.seed)
        print(f"{given.sessions} sessions, {size / 1e6:.0f} MB; loop {timed(loop)[0]:.2f} s")
        if not given.only_exports:
            lists_of(folder, rounds)
        (folder.root / "local").mkdir(exist_ok=True)
        for name in given.formats:
            export(folder, name)
        print(f"loop {timed(loop)[0]:.2f} s")


if __name__ == "__main__":
    main()
