"""What earlier runs say: the latest run of each model under each experiment."""

from collections.abc import Iterable, Mapping

from records.folder import DataFolder
from records.reader import read_run
from records.run import Outcome, Run


def latest_runs(
    folders: Iterable[DataFolder], benchmark_version: str
) -> Mapping[tuple[str, str], Run]:
    """Return the run that began last per (model slug, experiment), within one benchmark version.

    Withdrawn runs do not count.

    Raises:
        InvalidRecordError: a record cannot be read.
    """
    latest: dict[tuple[str, str], Run] = {}
    for folder in folders:
        for path in folder.run_files():
            run = read_run(path)
            if run.benchmark_version != benchmark_version or run.withdrawn is not None:
                continue
            key = (run.model.slug, run.experiment.name)
            if key not in latest or _began(run) > _began(latest[key]):
                latest[key] = run
    return latest


def failed_evals(run: Run) -> list[str]:
    """Return the evals of ``run`` with an attempt that did not pass, infrastructure included."""
    return sorted({a.eval for a in run.attempts if a.outcome is not Outcome.PASSED})


def _began(run: Run) -> tuple[str, str]:
    return (run.started_at.isoformat() if run.started_at else run.date.isoformat(), run.run_id)
