import json
import shutil
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.journal.replay import read
from records.reader import read_run
from records.rewriting import migrate_folder
from records.shapes.attempt import CostBasis, TokensBasis
from records.shapes.totals import totals
from records.writer import run_bytes

pytestmark = pytest.mark.unit

OLD = Path(__file__).parent / "old" / "run-1.json"


def test_version_1_reads_as_the_current_version() -> None:
    """Milliseconds become seconds; a cost was reported by the provider; no cost is unknown."""
    run = read_run(OLD)
    priced, unpriced = run.attempts[0].generation, run.attempts[1].generation

    assert run.schema_version == 3
    assert priced is not None
    assert unpriced is not None
    assert (priced.cost_usd, priced.cost_basis) == (0.25, CostBasis.REPORTED)
    assert (unpriced.cost_usd, unpriced.cost_basis) == (None, CostBasis.UNKNOWN)
    assert (priced.duration_s, priced.time_to_first_token_s) == (1.5, 0.25)
    assert unpriced.time_to_first_token_s is None
    assert [step.duration_s for step in run.attempts[0].steps or ()] == [0.125] * 6
    assert [test.duration_s for test in run.attempts[2].tests or ()] == [0.01, None]
    assert run.totals == totals(run.attempts)
    assert (run.totals.cost_usd, run.totals.cost_known_for) == (0.5, 2)


def test_version_2_reads_as_the_current_version(tmp_path: Path) -> None:
    """Values that were not recorded then are unknown; usage from a provider is marked as such."""
    old = json.loads(OLD.read_text()) | {"schema_version": 2}
    for attempt in old["attempts"]:
        for timed in (*(attempt["steps"] or ()), *(attempt["tests"] or ())):
            timed["duration_s"] = timed.pop("duration_ms")
        if generation := attempt["generation"]:
            generation["duration_s"] = generation.pop("duration_ms")
            generation["time_to_first_token_s"] = generation.pop("time_to_first_token_ms")
            generation["cost_usd"] = generation.pop("cost")
            generation["cost_basis"] = "unknown" if generation["cost_usd"] is None else "reported"
    path = tmp_path / "run-2.json"
    path.write_text(json.dumps(old))

    run = read_run(path)
    generation = run.attempts[0].generation

    assert generation is not None
    assert (generation.tokens_basis, generation.answered_by) == (TokensBasis.REPORTED, None)
    assert (run.budget_usd, run.totals.failed_tries_usd) == (None, None)
    assert (run.model.origin, run.model.max_output_tokens) == (None, None)


def test_a_folder_is_rewritten_once(tmp_path: Path) -> None:
    """Migration rewrites old records, keeps their meaning, and has nothing to do afterwards."""
    folder = DataFolder(tmp_path)
    run = read_run(OLD)
    path = folder.run_file(run.model.slug, run.run_id)
    path.parent.mkdir(parents=True)
    shutil.copy(OLD, path)

    assert migrate_folder(folder) == [path]
    assert json.loads(path.read_text())["schema_version"] == 3
    assert path.read_bytes() == run_bytes(run)
    assert migrate_folder(folder) == []


def test_a_run_that_was_begun_before_goes_on(tmp_path: Path) -> None:
    """The journal of an older version keeps its answers and verdicts in the current shape."""
    folder = DataFolder(tmp_path)
    run = read_run(OLD)
    old = json.loads(OLD.read_text())
    attempt = next(old_attempt for old_attempt in old["attempts"] if old_attempt["generation"])
    question = {name: attempt[name] for name in ("eval", "sample", "generation")}
    begun = old | {"attempts": [], "status": "running"}
    lines: list[dict[str, object]] = [
        {"entry": "opened", "schema_version": 1, "run": begun},
        {"entry": "generated", **question, "messages": [], "reply": "A reply.", "fault": None},
        {"entry": "graded", "attempt": attempt, "files": {}, "logs": {}},
    ]
    path = folder.journal_file(run.model.slug, run.run_id)
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"entry":"gen')

    assert migrate_folder(folder) == [path]
    state = read(path)
    assert state.settled() == run.attempts[:1]
    answer = state.asked(attempt["eval"], attempt["sample"])
    assert answer is not None
    assert (answer.reply, answer.generation) == ("A reply.", run.attempts[0].generation)
    assert migrate_folder(folder) == []
