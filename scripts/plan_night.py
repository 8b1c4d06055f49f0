"""The plan of a night of the periodic workflow: its runs, and a notice for each omitted run.

Reads from the environment: BUDGET_USD, the most dollars that a run may cost over all nights;
NIGHT_BUDGET_USD, the most that a night may cost over all runs; MODELS, slugs separated by commas
that replace the models that are due; LEADERBOARD, the command. Writes ``runs=[...]`` for the matrix
to GITHUB_OUTPUT and the plan as a table to GITHUB_STEP_SUMMARY.
"""

# ruff: noqa: INP001 - a script

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from run_artifacts import build_artifact_name, read_command

REASONS = {
    "no_key": "the environment `models` has no secret {key_variable}",
    "no_price": "no price is known: give one in data/models.toml",
    "budget_spent": "{why} (variables BUDGET_USD, NIGHT_BUDGET_USD)",
    "waits": "{why}; its turn comes in the next night",
}
"""The reason that a maintainer reads for each decision other than "asked"."""


def main() -> None:
    """Write the plan."""
    rows = plan_runs()
    selected = [row for row in rows if row["decision"] == "asked"]
    matrix = [
        {
            "model": row["slug"],
            "experiment": row["experiment"],
            "budget": f"{row['budget_usd']:.6f}",
            "artifact": build_artifact_name(row["slug"], row["experiment"]),
        }
        for row in selected
    ]
    append_text("GITHUB_OUTPUT", f"runs={json.dumps(matrix)}\n")
    append_text("GITHUB_STEP_SUMMARY", write_summary(rows))
    for text in write_notices(rows):
        escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        sys.stdout.write(f"::notice title=Not asked::{escaped}\n")
    sys.stdout.write(f"{len(selected)} of {len(rows)} runs that are due are asked\n")


def plan_runs() -> list[dict[str, Any]]:
    """Return the plan, as `leaderboard models --due` makes it."""
    options = ["--carry-over", "--budget", os.environ["BUDGET_USD"]]
    options += ["--night-budget", os.environ["NIGHT_BUDGET_USD"]]
    if models := os.environ.get("MODELS", "").strip():
        options += ["--model", models]
    done = subprocess.run(
        [*read_command(), "models", "--due", "--json", *options],
        env={name: value for name, value in os.environ.items() if name != "MODELS"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def write_notices(rows: list[dict[str, Any]]) -> list[str]:
    """Return why runs are not asked: one line for both experiments of a model if they agree."""
    lines: dict[str, list[str]] = {}
    for row in rows:
        if row["decision"] != "asked":
            reason = f"{row['slug']}: {explain_decision(row)}"
            lines.setdefault(reason, []).append(row["experiment"])
    return [f"{reason} ({', '.join(names)})" for reason, names in lines.items()]


def explain_decision(row: dict[str, Any]) -> str:
    """Return why a run is not asked."""
    return REASONS.get(row["decision"], "{why}").format_map(row)


def write_summary(rows: list[dict[str, Any]]) -> str:
    """Return the plan as markdown."""
    if not rows:
        return "No model is due.\n"
    total = sum(row["tonight_usd"] for row in rows if row["decision"] == "asked")
    limit = float(os.environ["NIGHT_BUDGET_USD"])
    lines = [
        f"Tonight's runs may cost at most ${total:.2f} of ${limit:.2f}.",
        "",
        "| model | experiment | questions | at most | |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        begun = f"left of run {row['run'][:8]}" if row["run"] else "a new run"
        if row["carried_over"]:
            begun += f", {row['carried_over']} answers carried over"
        is_asked = row["decision"] == "asked"
        amount = f"${row['tonight_usd']:.2f}" if is_asked else "not asked"
        end = begun if is_asked else f"{begun}: {explain_decision(row)}"
        cells = (f"`{row['slug']}`", row["experiment"], str(row["questions"]), amount, end)
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def append_text(variable: str, text: str) -> None:
    """Append a text to the file that a variable of GitHub names; print it without the variable."""
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
