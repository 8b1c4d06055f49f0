"""Requests to 100 models at once: peak memory and CPU of the whole process that asks.

``python -m tests.benchmarks.bench_generation`` prints one JSON line per size of reply. Each is
measured in a fresh process, against a provider that is another process again, all 100 replies
being in flight at the same time.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from records.shapes.registry import Limits, ModelEntry
from runner.models.ask import generate
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.requests.lazy_litellm import close, litellm
from tests.runner.models.provider import Script, Step

IN_FLIGHT: Final = 100
LIMIT_MB: Final = 300
SIZES: Final = (2_000, 200_000)
"""Characters per reply."""
PIECE: Final = 200
"""Characters per event; some providers send fewer, which costs in proportion."""
PROMPT: Final = "Write it. " * 2_000
"""A prompt about as long as guidelines and a task."""


def measured(address: str, size: int) -> dict[str, float | int]:
    """Ask 100 times at once, and return the times and the memory."""
    cpu = time.process_time()
    litellm()
    imported = time.process_time() - cpu
    asyncio.run(_ask_all(address, 4))
    idle = _peak_mb()
    cpu = time.process_time()
    asyncio.run(_ask_all(address, IN_FLIGHT))
    each = (time.process_time() - cpu) / IN_FLIGHT
    return {
        "characters": size,
        "import_cpu_s": round(imported, 2),
        "peak_mb_after_import": round(idle),
        "peak_mb": round(_peak_mb()),
        "cpu_ms_per_request": round(each * 1000, 2),
    }


async def _ask_all(address: str, requests: int) -> None:
    entry = ModelEntry(
        slug="local/bench",
        name="Bench",
        provider="local",
        litellm_id="openai/bench",
        api_base=address,
        limits=Limits(concurrency=IN_FLIGHT, timeout_s=120),
    )
    question = [{"role": "user", "content": PROMPT}]
    queues, budget = ProviderQueues(IN_FLIGHT), Budget()
    results = await asyncio.gather(
        *(generate(entry, question, queues=queues, budget=budget) for _ in range(requests))
    )
    await close()
    faults = [result.fault for result in results if result.fault is not None]
    if faults:
        raise RuntimeError(f"{len(faults)} of {requests} requests failed: {faults[0]}")


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_fresh_processes(size: int) -> dict[str, float | int]:
    """Measure one size: a provider in one process, its client in another."""
    # Every reply waits before its first byte, so that all hundred are active at the same time.
    step = Step(text="x" * 100, repeat=max(1, size // 100), piece=PIECE, delay_s=1.0)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.json"
        script.write_text(Script(default=step).model_dump_json())
        server = [sys.executable, "-m", "tests.runner.models.provider", "--script", str(script)]
        with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as provider:
            try:
                address = provider.stdout.readline().strip() if provider.stdout else ""
                asker = [sys.executable, "-m", "tests.benchmarks.bench_generation"]
                finished = subprocess.run(
                    [*asker, "--ask", address, "--size", str(size)],
                    stdout=subprocess.PIPE,
                    text=True,
                    check=True,
                )
            finally:
                provider.kill()
    return json.loads(finished.stdout)


def main() -> int:
    """Measure every size; the exit code is 1 if memory went over its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask")
    parser.add_argument("--size", type=int, default=0)
    options = parser.parse_args()
    if options.ask:
        print(json.dumps(measured(options.ask, options.size)))
        return 0
    results = [in_fresh_processes(size) for size in SIZES]
    for result in results:
        print(json.dumps(result))
    return int(any(result["peak_mb"] > LIMIT_MB for result in results))


if __name__ == "__main__":
    sys.exit(main())
