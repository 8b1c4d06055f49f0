"""The jobs that `python -m tests.workflows` runs."""

import pytest

from tests.workflows.__main__ import make_contexts
from tests.workflows.expressions import holds
from tests.workflows.machine import WORKFLOWS, list_combinations, read_workflow

pytestmark = pytest.mark.integration


def test_all_jobs_but_that_which_needs_keys_run_here() -> None:
    """An `if` or an event that this machine does not know would leave a job out without notice."""
    left_out: list[str] = []
    for path in sorted(WORKFLOWS.glob("*.yml")):
        for name, job in read_workflow(path.stem)["jobs"].items():
            contexts = make_contexts()
            if "needs" in job:
                outputs = {"runs": "[]"}
                contexts["needs"] = {job["needs"]: {"outputs": outputs, "result": "success"}}
            matrix = next(list_combinations(job, contexts), None)
            if matrix is None or not holds(job.get("if"), contexts, {"success": True}):
                left_out.append(f"{path.stem}/{name}")
    assert left_out == ["periodic/run"]
