"""The addresses of pages and files below the site's root."""

from collections.abc import Collection
from functools import lru_cache
from typing import Final

from generator.digests import compute_key
from generator.read.summaries import FiledReport, RunSummary
from records.files.slug_paths import encode_slug


def build_filed_path(filed: FiledReport) -> str:
    """Return the path of a report's page."""
    return build_report_path(filed.slug, filed.file_name)


PAGE: Final = "index.html"
"""Name of the file of a page."""
TWIN: Final = f"{PAGE}.md"
"""Name of the file of a page as Markdown."""

SITE_CARD: Final = "cards/site.png"
"""The picture for link previews of pages that are not about a single model."""


def build_model_path(slug: str) -> str:
    """Return the path of a model's page."""
    return f"models/{encode_slug(slug)}/"


def build_card_path(slug: str) -> str:
    """Return the path of a model's picture for link previews."""
    return f"cards/{encode_slug(slug)}.png"


def build_run_path(run_id: str) -> str:
    """Return the path of a run's page."""
    return f"runs/{run_id}/"


def build_attempts_path(run_id: str, category: str) -> str:
    """Return the path of the page of a run's attempts at the evals of a category."""
    return f"runs/{run_id}/{category}/"


def build_attempt_fragment(evaluation: str, sample: int) -> str:
    """Return the fragment of an attempt on its page; it ends with a slash."""
    name = evaluation.partition("/")[2]
    return f"{name}/{sample}/" if sample > 1 else f"{name}/"


def build_attempt_path(run_id: str, evaluation: str, sample: int) -> str:
    """Return the path of a cited attempt's own page, and of the long texts of any attempt."""
    return f"runs/{run_id}/{evaluation}/" + (f"{sample}/" if sample > 1 else "")


@lru_cache(maxsize=1 << 12)
def build_attempt_anchor(evaluation: str, sample: int) -> str:
    """Return the anchor of an attempt's row on its run's page."""
    return evaluation.replace("/", "-") + (f"-{sample}" if sample > 1 else "")


def build_kept_attempt_href(run_id: str, name: str, sample: int) -> str:
    """Return the address of an attempt whose files were kept."""
    category = name.partition("/")[0]
    return f"{build_attempts_path(run_id, category)}#{build_attempt_fragment(name, sample)}"


def build_attempt_href(run: RunSummary, name: str, sample: int = 1) -> str:
    """Return the address of an attempt; if its files were not kept, of its row on the run's page.

    A running run has no rows yet, so its page itself is returned.
    """
    if run.artifact is not None and (name, sample) in run.kept:
        return build_kept_attempt_href(run.run_id, name, sample)
    if run.status == "running":
        return build_run_path(run.run_id)
    return f"{build_run_path(run.run_id)}#{build_attempt_anchor(name, sample)}"


def build_eval_path(evaluation: str) -> str:
    """Return the path of an eval's page."""
    return f"evals/{evaluation}/"


def build_reference_path(evaluation: str) -> str:
    """Return the path of the JSON file with the files of an eval's reference answer."""
    return f"evals/{evaluation}/reference.json"


def build_report_path(slug: str, file_name: str) -> str:
    """Return the path of the page of a report on a model."""
    return f"reports/{encode_slug(slug)}/{file_name.removesuffix('.md')}/"


def build_version_path(version: str) -> str:
    """Return the permanent path of a benchmark version's table."""
    return f"benchmarks/{version}/"


def build_part_path(version: str, evals: Collection[str]) -> str:
    """Return the path of the table over a part of a version's evals."""
    return f"{build_version_path(version)}parts/{len(evals)}-{compute_key(sorted(evals))[:8]}/"


def build_table_path(version: str, planned: Collection[str], evals: Collection[str]) -> str:
    """Return the path of the table with the runs of a version that planned these of its evals."""
    is_part = frozenset(planned) < frozenset(evals)
    return build_part_path(version, planned) if is_part else build_version_path(version)


def build_ablation_path(trial_id: str) -> str:
    """Return the path of the page of an ablation."""
    return f"ablations/{trial_id}/"


GUIDELINES_TEXT: Final = "guidelines/text/"
"""The path of the page with the text of the guidelines."""


def build_section_href(slug: str) -> str:
    """Return the address of a section of the guidelines."""
    return f"{GUIDELINES_TEXT}#section-{slug}"
