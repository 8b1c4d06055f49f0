"""ask_model.py MODEL EXPERIMENT BUDGET: asks one model of the periodic workflow, within a time.

Goes on with the model's unfinished run, or begins one. After ASK_MINUTES (280) the run is stopped
gently: grading under way ends, and the rest can go on another night. Appends the result to
GITHUB_STEP_SUMMARY. Ends as the command does: with 3 where attempts have no verdict.
"""

# ruff: noqa: INP001 - a script

import json
import os
import signal
import subprocess
import sys

from plan_night import append
from run_artifacts import command

GRACE_S = 15 * 60
"""Seconds that a stopped run has for its grading under way; then it is killed."""


WHY = "a periodic run; resumed where it lacks verdicts"


def main() -> int:
    """Ask; return the exit code."""
    model, experiment, budget = sys.argv[1:]
    options = ["-m", model, "-e", experiment, "--budget", budget, "--why", WHY]
    running = subprocess.Popen(
        [*command(), "run", *options, "--publish", "--resume-or-start", "--carry-over", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    printed, is_stopped = wait(running, 60 * float(os.environ.get("ASK_MINUTES", "280")))
    append("GITHUB_STEP_SUMMARY", line(model, experiment, printed, running.returncode, is_stopped))
    return running.returncode if running.returncode >= 0 else 128 - running.returncode


def wait(running: subprocess.Popen[str], longest_s: float) -> tuple[str, bool]:
    """Wait for the end; return the output, and whether the time was over before."""
    try:
        return running.communicate(timeout=longest_s)[0], False
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGTERM)
    try:
        return running.communicate(timeout=GRACE_S)[0], True
    except subprocess.TimeoutExpired:
        running.kill()
        return running.communicate()[0], True


def line(model: str, experiment: str, printed: str, code: int, is_stopped: bool) -> str:  # noqa: FBT001 - a fact
    """Return the result as a line of markdown."""
    start = f"- `{model}` {experiment}: "
    stopped = "stopped at its limit of time; " if is_stopped else ""
    try:
        (run,) = json.loads(printed)
    except ValueError:
        return f"{start}{stopped}no result, exit code {code}; the log of the step says why\n"
    counts = ", ".join(f"{number} {name}" for name, number in run["outcomes"].items())
    cost = "cost unknown" if run["cost_usd"] is None else f"${run['cost_usd']:.2f}"
    rest = "; the rest goes on another night" if code == 3 else ""  # noqa: PLR2004 - exit code
    return f"{start}{stopped}{counts}; {cost}; run {run['run_id'][:8]}{rest}\n"


if __name__ == "__main__":
    sys.exit(main())
