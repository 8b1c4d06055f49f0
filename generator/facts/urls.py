"""Addresses of pages below the site's root."""

from functools import lru_cache
from typing import Final

from generator.read.summaries import FiledReport, RunSummary


def filed_path(filed: FiledReport) -> str:
    """Return where a report's page stands."""
    return report_path(filed.slug, filed.file_name)


SITE_CARD: Final = "cards/site.png"
"""Picture for link previews of pages that are about no single model."""


def model_path(slug: str) -> str:
    """Return where a model's page stands; no slug holds a tilde, so no two share a place."""
    return f"models/{slug.replace(':', '~')}/"


def card_path(slug: str) -> str:
    """Return where a model's picture for link previews stands."""
    return f"cards/{slug.replace(':', '~')}.png"


def run_path(run_id: str) -> str:
    """Return where a run's page stands."""
    return f"runs/{run_id}/"


def attempt_path(run_id: str, evaluation: str, sample: int) -> str:
    """Return where an attempt's page stands; the first sample has the plain address."""
    return f"runs/{run_id}/{evaluation}/" + (f"{sample}/" if sample > 1 else "")


def answers_path(run_id: str) -> str:
    """Return where the files of all answers of a run stand, as JSON."""
    return f"runs/{run_id}/answers.json"


@lru_cache(maxsize=1 << 12)
def attempt_anchor(evaluation: str, sample: int) -> str:
    """Return the anchor of an attempt's row on its run's page."""
    return evaluation.replace("/", "-") + (f"-{sample}" if sample > 1 else "")


def attempt_href(run: RunSummary, name: str, sample: int = 1) -> str:
    """Return where an attempt is shown: its own page, else its row on the run's page.

    A run that is going has no row of any attempt yet.
    """
    if run.artifact is not None and (name, sample) in run.kept:
        return attempt_path(run.run_id, name, sample)
    if run.status == "running":
        return run_path(run.run_id)
    return f"{run_path(run.run_id)}#{attempt_anchor(name, sample)}"


def eval_path(evaluation: str) -> str:
    """Return where an eval's page stands."""
    return f"evals/{evaluation}/"


def reference_path(evaluation: str) -> str:
    """Return where the files of an eval's reference stand, as JSON."""
    return f"evals/{evaluation}/reference.json"


def report_path(slug: str, file_name: str) -> str:
    """Return where the page of a model's report stands."""
    return f"reports/{slug.replace(':', '~')}/{file_name.removesuffix('.md')}/"


def version_path(version: str) -> str:
    """Return the permanent place of a benchmark version's table."""
    return f"benchmarks/{version}/"


def ablation_path(trial_id: str) -> str:
    """Return where an ablation of the guidelines stands."""
    return f"ablations/{trial_id}/"


GUIDELINES_TEXT: Final = "guidelines/text/"
"""Where the suite's guidelines stand, section by section."""


def section_href(slug: str) -> str:
    """Return where a section of the guidelines stands."""
    return f"{GUIDELINES_TEXT}#section-{slug}"
