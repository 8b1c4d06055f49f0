"""Downloads: the names of the files of a snapshot that pages name, too, and the runs in them."""

from typing import Final

from generator.read.summaries import RunSummary

DOWNLOADS: Final = "downloads/"
"""The snapshot of a site, below the site's root."""
ARCHIVE: Final = "snapshot.tar.gz"
"""All files of a snapshot in one."""
MANIFEST: Final = "manifest.json"
"""Lists all other files; a folder with it is a snapshot."""
DICTIONARY: Final = "data-dictionary.json"
"""Every column of every table in words."""
CROISSANT: Final = "croissant.json"
"""The snapshot as searches for datasets read it."""


def build_parquet_path(name: str) -> str:
    """Return the path of a Parquet file below a snapshot's folder."""
    return f"parquet/{name}.parquet"


def build_every_eval_ever_path(version: str) -> str:
    """Return the path of the runs of a benchmark version for Every Eval Ever."""
    return f"every-eval-ever/{version}.tar.gz"


def is_in_every_eval_ever(run: RunSummary) -> bool:
    """Return whether a published run has files for Every Eval Ever: it counts, and has verdicts."""
    return run.withdrawn is None and run.tally.judged > 0
