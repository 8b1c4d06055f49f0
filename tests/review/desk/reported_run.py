"""A run with a report whose failures the desk classes."""

from pathlib import Path
from typing import Final

from records.archives.archive import compute_artifact_digest, write_archive
from records.files.data_folder import DataFolder
from records.writer import write_record, write_run
from tests.records import examples
from tests.review.desking import HOSTILE
from tests.support.warm_command import ROOT, run_command

RUN: Final = "a" * 32
PLACE: Final = f"reports/{RUN}"
KNOWN: Final = "000-fundamentals/002-puppet_schema"
"""An eval of today's suite, in place of the run's last, which failed."""
UNKNOWN: Final = examples.make_eval_name(2)
FIRST: Final = f"{PLACE}/{UNKNOWN}/0"
SECOND: Final = f"{PLACE}/{examples.make_eval_name(5)}/0"
LAST: Final = f"{PLACE}/{KNOWN}/0"


def write_reported_run(root: Path) -> DataFolder:
    """Write a published run of twelve evals, of which four failed, and a report without classes."""
    folder = DataFolder(root / "data")
    (root / "evals").symlink_to(ROOT / "evals")
    run = examples.make_run(RUN, evals=12)
    files = {"convex/gone.ts": "export {};\n", "convex/schema.ts": HOSTILE}
    answer = examples.make_artifact(KNOWN).model_copy(update={"files": files})
    failure = {"eval": KNOWN, "artifact": compute_artifact_digest(answer)}
    attempts = [
        attempt.model_copy(update=failure)
        if attempt.eval == examples.make_eval_name(11)
        else attempt
        for attempt in run.attempts
    ]
    planned = tuple(attempt.eval for attempt in attempts)
    run = run.model_copy(update={"attempts": tuple(attempts), "planned": planned})
    write_record(folder.benchmarks, examples.make_benchmark())
    write_run(folder, run)
    write_archive(folder.get_artifact_file(run.model.slug, RUN), [answer])
    done = run_command("report", RUN, "--data", folder.root, "--author", "me")
    assert done.returncode == 0, done.stderr
    return folder
