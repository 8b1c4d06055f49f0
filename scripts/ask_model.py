"""ask_model.py MODEL EXPERIMENT BUDGET: a run of one model in the periodic workflow.

It continues the model's unfinished run, or begins a new run. After ASK_MINUTES (280) the run is
stopped gently: attempts that are being graded get their verdicts, and another night continues the
run. The result is appended to GITHUB_STEP_SUMMARY. The exit code is that of `leaderboard run`, so 3
if attempts have no verdict.
"""

# ruff: noqa: INP001 - a script

import json
import os
import signal
import subprocess
import sys

from plan_night import append_text
from run_artifacts import read_command

GRACE_S = 15 * 60
"""Seconds that a stopped run has to finish its grading; then it is killed."""

WHY = "a periodic run; resumed where it lacks verdicts"


def main() -> int:
    """Run the model; return the exit code."""
    model, experiment, budget = sys.argv[1:]
    options = ["-m", model, "-e", experiment, "--budget", budget, "--why", WHY, "--publish"]
    running = subprocess.Popen(
        [*read_command(), "run", *options, "--resume-or-start", "--carry-over", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    printed, is_stopped = wait_for(running, 60 * float(os.environ.get("ASK_MINUTES", "280")))
    summary = summarize(model, experiment, printed, running.returncode, is_stopped)
    append_text("GITHUB_STEP_SUMMARY", summary)
    return running.returncode if running.returncode >= 0 else 128 - running.returncode


def wait_for(running: subprocess.Popen[str], longest_s: float) -> tuple[str, bool]:
    """Return the output of a process, and whether it was stopped at its limit of time."""
    try:
        return running.communicate(timeout=longest_s)[0], False
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGTERM)
    try:
        return running.communicate(timeout=GRACE_S)[0], True
    except subprocess.TimeoutExpired:
        running.kill()
        return running.communicate()[0], True


def summarize(model: str, experiment: str, printed: str, code: int, is_stopped: bool) -> str:  # noqa: FBT001 - a fact
    """Return the result as a line of markdown."""
    start = f"- `{model}` {experiment}: "
    stopped = "stopped at its limit of time; " if is_stopped else ""
    try:
        (run,) = json.loads(printed)
    except ValueError:
        return f"{start}{stopped}no result, exit code {code}; the log of the step has the reason\n"
    counts = ", ".join(f"{number} {name}" for name, number in run["outcomes"].items())
    cost = "cost unknown" if run["cost_usd"] is None else f"${run['cost_usd']:.2f}"
    later = "; another night continues it" if code == 3 else ""  # noqa: PLR2004 - exit code
    return f"{start}{stopped}{counts}; {cost}; run {run['run_id'][:8]}{later}\n"


if __name__ == "__main__":
    sys.exit(main())
