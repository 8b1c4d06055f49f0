"""The links of the site: addresses of pages and files, and the names of what they show."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from generator.read.suite_texts import EvalTexts
from generator.read.summaries import FiledReport, RunSummary
from generator.sources import compute_key
from records.files.data_folder import encode_slug, get_model_slug
from records.shapes.attempt import StepName
from records.suites.experiments import DEFAULT, NO_GUIDELINES

DOWNLOADS = "downloads/"
"""The snapshot of a site, below the site's root."""
ARCHIVE = "snapshot.tar.gz"
"""All files of a snapshot in one."""
MANIFEST = "manifest.json"
"""Lists all other files; a folder with it is a snapshot."""
DICTIONARY = "data-dictionary.json"
"""Every column of every table in words."""
BOARDS = "boards/"
"""The archives of boards; `ARCHIVE` is without them."""
CROISSANT = "croissant.json"
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
    return run.head.withdrawn is None and run.tally.judged > 0


def build_filed_path(filed: FiledReport) -> str:
    """Return the path of a report's page."""
    return build_report_path(get_model_slug(filed.path), filed.path.name)


PAGE = "index.html"
"""Name of the file of a page."""
TWIN = f"{PAGE}.md"
"""Name of the file of a page as Markdown."""


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
    if run.has_files(name, sample):
        return build_kept_attempt_href(run.run_id, name, sample)
    if run.head.status == "running":
        return build_run_path(run.run_id)
    return f"{build_run_path(run.run_id)}#{build_attempt_anchor(name, sample)}"


def build_eval_path(evaluation: str) -> str:
    """Return the path of an eval's page."""
    return f"evals/{evaluation}/"


def build_reference_path(evaluation: str) -> str:
    """Return the path of the JSON file with the files of an eval's reference answer."""
    return f"evals/{evaluation}/reference.json"


def build_given_path(evaluation: str) -> str:
    """Return the path of the JSON file with the files of the app that an eval gives."""
    return f"evals/{evaluation}/given.json"


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


GUIDELINES_TEXT = "guidelines/text/"
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


class EvalLink(NamedTuple):
    """An eval with the link to its page."""

    name: str
    """The eval as ``category/name``."""
    title: str
    """Its title, which no other eval of the site has."""
    href: str
    """The address of the eval's page, below the root."""


NAMED = 4
"""The most models that a sentence names."""


def list_in_prose(words: Sequence[str], most: int = NAMED) -> str:
    """Return a list in prose, such as ``a, b and c``.

    Of more than ``most`` words, all but the first ``most - 1`` are only counted.
    """
    if len(words) > most:
        return f"{', '.join(words[: most - 1])} and {len(words) - most + 1} more"
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def format_month(day: date) -> str:
    """Return the month of a day, such as ``February 2026``."""
    return f"{day:%B %Y}"


EXPERIMENTS = {DEFAULT: "with guidelines", NO_GUIDELINES: "without guidelines"}

AS_IMPORTED = "as imported"
"""The condition of runs of other tools."""


_STEPS: dict[str, str] = {
    StepName.FILESYSTEM: "filesystem, where the files are read out of the answer",
    StepName.INSTALL: "install, where the packages that the answer needs are looked up",
    StepName.DEPLOY: "deploy, where a Convex backend takes the code",
    StepName.TYPECHECK: "typecheck, where TypeScript looks for errors of types",
    StepName.LINT: "lint, where ESLint looks for common mistakes in the code",
    StepName.TESTS: "tests, where the code has to do what the task says",
}
"""The steps of grading in words, each with its task."""


_SHORT = {DEFAULT: "", NO_GUIDELINES: "no guidelines"}


def label_category(key: str) -> str:
    """Return the label of the category with the folder name ``key``."""
    return key.partition("-")[2].replace("_", " ").capitalize()


def format_eval_label(evaluation: str) -> str:
    """Return a title made from an eval's name."""
    return label_category(evaluation.rpartition("/")[2])


def build_eval_titles(
    texts: Mapping[str, EvalTexts], evals: Iterable[str], imported: Mapping[str, str]
) -> dict[str, str]:
    """Return the title of each eval; equal titles are followed by category or name.

    ``imported`` has the titles of evals of benchmarks of other tools.
    """
    names = sorted({*texts, *evals})
    titles = {
        name: texts[name].title if name in texts else imported.get(name) or format_eval_label(name)
        for name in names
    }
    number = Counter(titles.values())
    in_category = Counter((name.partition("/")[0], title) for name, title in titles.items())
    distinct: dict[str, str] = {}
    for name, title in titles.items():
        key = name.partition("/")[0]
        words = label_category(key) if in_category[key, title] == 1 else name
        distinct[name] = title if number[title] == 1 else f"{title} ({words.lower()})"
    return distinct


def describe_step(step: str) -> str:
    """Return the name of a step of grading, with its task."""
    return _STEPS.get(step, f"{step}")


def describe_experiment(name: str) -> str:
    """Return the condition of an experiment in words."""
    return EXPERIMENTS.get(name, name)


def describe_run_condition(run: RunSummary) -> str:
    """Return the condition of a run, in a reader's words."""
    return AS_IMPORTED if run.of_other_tool else describe_experiment(run.experiment)


def abbreviate_condition(run: RunSummary) -> str:
    """Return the condition in few words, and `baseline` for a baseline; empty for a usual run."""
    words = ["baseline" if run.baseline else "", _SHORT.get(run.experiment, run.experiment)]
    return ", ".join(filter(None, words))


SYMBOLS = {
    "passed": "✓",
    "failed": "✗",
    "partly": "◐",
    "infrastructure": "!",
    "not_run": "·",
}
"""The symbol for each outcome, so that outcomes never differ by colour alone."""
