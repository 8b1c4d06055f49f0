"""Plans of runs, and runs that have begun, for tests of what comes after."""

from collections.abc import Sequence

from records.files.data_folder import DataFolder
from records.journal.entries import make_opening_entry
from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from records.writer import write_run
from runner.evals.discovery import Eval
from runner.runs.plan import ExperimentSetup, RunPlan, make_plan
from tests.records.examples import create_journal


def plan_run(
    model: ModelEntry | str, evals: Sequence[Eval], guidelines: str | None = None
) -> RunPlan:
    """Return the plan of a run over evals, each once."""
    return make_plan(
        model=model,
        experiment=ExperimentSetup("default", guidelines),
        evals=evals,
        benchmark_version="0123456789ab",
        samples=1,
        harness=None,
    )


def begin_run(run: Run, folder: DataFolder) -> None:
    """Write journal and record of a run that begins, in place of earlier ones."""
    journal = folder.get_journal_file(*run.key)
    journal.unlink(missing_ok=True)
    create_journal(journal, make_opening_entry(run)).close()
    write_run(folder, run)
