"""Three bad providers beside a good provider, 400 attempts at once: the delay of the good answers.

Run with ``python -m tests.benchmarks.bench_four_providers``. Four scripted providers, each a
process of its own, are asked by one `leaderboard run`, a hundred evals each. The first bad
provider is killed at its first request, the second answers 429 with ``Retry-After: 30`` for ever,
the third takes three times as long as the good provider. Before that the good provider is asked
alone. Its time is from its first request to its last answer, by its own log. Replies are prose,
so that each attempt ends at its first step and grading takes next to nothing of the processors.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.runner.conftest import ROOT, write_prose_suite

EVALS: Final = 100
AT_ONCE: Final = 8
REPLY_S: Final = 4.0
MOST_SLOWER: Final = 1.1
MOST_AFTER_S: Final = 120.0

GOOD: Final = {"default": {"text": "Prose without files.", "delay_s": REPLY_S}}
SCRIPTS: Final[Mapping[str, Mapping[str, object]]] = {
    "good": GOOD,
    "slow": {"default": {"text": "Prose without files.", "delay_s": 3 * REPLY_S}},
    "limiting": {"default": {"kind": "status", "status": 429, "headers": {"Retry-After": "30"}}},
    "dead": {"default": {"kind": "hang"}},
}


class Provider:
    """A scripted provider in a process of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        """Start the process."""
        self.name = name
        self._log = folder / f"{name}.jsonl"
        self._log.unlink(missing_ok=True)
        script = folder / f"{name}.json"
        script.write_text(json.dumps(SCRIPTS[name]))
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.runner.models.provider"),
                *("--script", str(script), "--log", str(self._log)),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def list_events(self, kind: str) -> list[dict[str, Any]]:
        """Return the logged events of one kind, ``received`` or ``answered``."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [event for event in map(json.loads, lines) if event["event"] == kind]

    def format_entry(self) -> str:
        """Return its entry in models.toml."""
        return (
            f'[[models]]\nslug = "bench/{self.name}"\nname = "{self.name}"\nprovider = "bench"\n'
            f'litellm_id = "openai/{self.name}"\napi_base = "{self.address}"\n'
            f"limits = {{ concurrency = {AT_ONCE} }}\n"
        )


def main() -> int:
    """Ask the good provider alone, then all four; the exit code is 1 if it was held up."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        suite = write_prose_suite(workspace / "suite", EVALS)
        alone_s, _, _ = _run_models(workspace / "alone", suite, ["good"])
        together_s, after_s, outcomes = _run_models(workspace / "together", suite, list(SCRIPTS))
    share = together_s / alone_s
    print(f"{EVALS * len(SCRIPTS)} attempts, {len(SCRIPTS)} providers at once")
    print(f"  the good one alone       {alone_s:7.1f} s")
    print(
        f"  the good one among them  {together_s:7.1f} s, {share:.3f} of it (at most {MOST_SLOWER})"
    )
    print(f"  the end after its end    {after_s:7.1f} s (at most {MOST_AFTER_S:g})")
    for slug, counted in outcomes.items():
        print(f"  {slug:<16} {dict(counted)}")
    return int(share > MOST_SLOWER or after_s > MOST_AFTER_S)


def _run_models(
    folder: Path, suite: Path, names: Sequence[str]
) -> tuple[float, float, dict[str, Counter[str]]]:
    """Return the good provider's time, the command's time after that, and the outcomes."""
    data = DataFolder(folder / "data")
    data.root.mkdir(parents=True)
    providers = {name: Provider(folder, name) for name in names}
    entries = "".join(provider.format_entry() for provider in providers.values())
    data.models_file.write_text("schema_version = 1\n" + entries)
    models = [part for name in names for part in ("-m", f"bench/{name}")]
    command = [sys.executable, "-m", "leaderboard", "run", *models, "--graders", "1"]
    process = subprocess.Popen(
        [*command, "--evals", str(suite), "--data", str(data.root)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    dead = providers.get("dead")
    while process.poll() is None:
        if dead is not None and dead.process.poll() is None and dead.list_events("received"):
            dead.process.kill()
        time.sleep(0.05)
    ended = time.time()
    good = providers["good"]
    first = min(event["at"] for event in good.list_events("received"))
    last = max(event["at"] for event in good.list_events("answered"))
    for provider in providers.values():
        provider.end()
    return last - first, ended - last, _count_outcomes(data)


def _count_outcomes(data: DataFolder) -> dict[str, Counter[str]]:
    """Return the outcomes of each model's attempts, with the cause if it is not the model's."""
    outcomes: dict[str, Counter[str]] = {}
    for path in data.local.list_run_files():
        run = read_run(path)
        outcomes[run.model.slug] = Counter(
            attempt.outcome.value
            if attempt.fault is None
            else f"{attempt.outcome.value}: {attempt.fault.kind.value}"
            for attempt in run.attempts
        )
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
