"""The addresses of pages and files below the site's root, links to them, and frames of pages."""

from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple

from generator.read.summaries import FiledReport, RunSummary
from generator.render.environment import Frame
from generator.sources import compute_key
from records.files.slug_paths import encode_slug

DOWNLOADS: Final = "downloads/"
"""The snapshot of a site, below the site's root."""
ARCHIVE: Final = "snapshot.tar.gz"
"""All files of a snapshot in one."""
MANIFEST: Final = "manifest.json"
"""Lists all other files; a folder with it is a snapshot."""
DICTIONARY: Final = "data-dictionary.json"
"""Every column of every table in words."""
BOARDS: Final = "boards/"
"""The archives of boards; `ARCHIVE` is without them."""
CROISSANT: Final = "croissant.json"
"""The snapshot as searches for datasets read it."""


def build_parquet_path(name: str) -> str:
    """Return the path of a Parquet file below a snapshot's folder."""
    return f"parquet/{name}.parquet"


def build_every_eval_ever_path(version: str) -> str:
    """Return the path of the runs of a benchmark version for Every Eval Ever."""
    return f"every-eval-ever/{version}.tar.gz"


def build_board_path(version: str) -> str:
    """Return the path of a board's archive: records, answers and logs of its published runs."""
    return f"{BOARDS}{version}.tar.gz"


def is_in_every_eval_ever(run: RunSummary) -> bool:
    """Return whether a published run has files for Every Eval Ever: it counts, and has verdicts."""
    return run.withdrawn is None and run.tally.judged > 0


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


class Link(NamedTuple):
    """A link within the site."""

    href: str
    """The address below the root."""
    label: str
    current: bool = False
    """Whether the link leads to the page that contains it."""


class Category(NamedTuple):
    """A category's folder name and label."""

    key: str
    label: str


class ModelLink(NamedTuple):
    """A model with the link to its page."""

    slug: str
    name: str
    provider: str
    href: str
    """The address of the model's page, below the root."""


def build_model_link(slug: str, name: str, provider: str) -> ModelLink:
    """Return a model with the link to its page."""
    return ModelLink(slug=slug, name=name, provider=provider, href=build_model_path(slug))


def build_page_frame(  # noqa: PLR0913 - the values of the frame
    title: str,
    path: str,
    description: str,
    section: str = "",
    card: str = SITE_CARD,
    *,
    guidelines: bool = True,
) -> Frame:
    """Return the frame of a page; ``path`` ends with a slash, or is empty for the front page.

    ``guidelines`` is false if no model was asked with guidelines for the page's results.
    """
    return Frame(
        title=title,
        description=description,
        root="../" * path.count("/"),
        path=path,
        section=section,
        card=card,
        guidelines=guidelines,
    )
