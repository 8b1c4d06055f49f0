"""Writers that send attempts until each is acknowledged, and report it; a program for a test.

``python -m tests.leaderboard.api.writers ADDRESS RUN_ID...`` reads the key from WRITERS_KEY. Each
run has two writers, which send all of its attempts in different orders.
"""

import os
import random
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

import httpx

from tests.leaderboard.api.serving import MadeRun, make_bearer_header, make_run_with_answers, put

ATTEMPTS = 12
_SAYING = threading.Lock()


def write(client: httpx.Client, made: MadeRun, seed: int) -> None:
    """Send every attempt of a run until it is acknowledged."""
    attempts = list(made.run.attempts)
    random.Random(seed).shuffle(attempts)  # noqa: S311 - an order, no secret
    while get_acknowledgement(lambda: client.post("/api/runs", json=made.build_start())) is None:
        pass
    for attempt in attempts:
        while (answer := get_acknowledgement(partial(put, client, made, attempt))) is None:
            pass
        with _SAYING:
            sys.stdout.write(f"{made.run.run_id} {attempt.eval} {answer.json()['digest']}\n")
            sys.stdout.flush()


def get_acknowledgement(ask: Callable[[], httpx.Response]) -> httpx.Response | None:
    """Return an acknowledgement; None, after a moment, if the server was away."""
    try:
        answer = ask()
    except httpx.TransportError:
        time.sleep(0.1)
        return None
    if answer.status_code == 429:
        time.sleep(0.5)
        return None
    assert answer.is_success, answer.text
    return answer


def main() -> None:
    """Write until everything is acknowledged."""
    address, *runs = sys.argv[1:]
    with httpx.Client(
        base_url=address, headers=make_bearer_header(os.environ["WRITERS_KEY"]), timeout=60
    ) as client:
        threads = [
            threading.Thread(
                target=write, args=(client, make_run_with_answers(run, evals=ATTEMPTS), seed)
            )
            for run in runs
            for seed in (1, 2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main()
