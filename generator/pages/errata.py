"""The errata: evals that were graded again after a change of their grading, and the effects."""

from collections import Counter
from collections.abc import Mapping, Sequence

from generator.facts import urls
from generator.facts.attributions import (
    collect_attributions_and_mended,
    find_eval_attribution,
    find_sample_attribution,
)
from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData
from generator.facts.titles import describe_run_condition, find_eval_title
from generator.read.summaries import ReplacedVerdict, RunSummary
from generator.render.environment import PageContext, Row
from records.shapes.attempt import Outcome

_Replaced = dict[str, list[ReplacedVerdict]]
"""Replaced verdicts by run."""

_CAUSES: Mapping[str, str] = {
    "grader": "the grader",
    "toolchain": "the toolchain",
    "answer": "how replies are read",
}


def build_errata_page(site: SiteData) -> PageContext:
    """Return the errata, newest first.

    A verdict that stayed the same is left out, unless the grader changed.
    """
    # By eval, digest of the grader, causes and reason, then by run.
    by_key: dict[tuple[str, str, tuple[str, ...], str | None], _Replaced] = {}
    for run in site.summaries.runs:
        for verdict in run.regraded:
            if "grader" in verdict.causes or verdict.before != verdict.after:
                key = verdict.eval, verdict.grader, verdict.causes, verdict.why
                by_key.setdefault(key, {}).setdefault(run.run_id, []).append(verdict)
    errata: list[Row] = []
    # Numbered from the oldest, so that anchors stay the same when an erratum is added.
    numbers = Counter[str]()
    for (name, _, causes, why), runs in sorted(
        by_key.items(),
        key=lambda item: (min(each.date for all_ in item[1].values() for each in all_), item[0]),
    ):
        numbers[name] += 1
        replaced = [verdict for verdicts in runs.values() for verdict in verdicts]
        moved = [_build_moved_run(site, site.runs[run_id], runs[run_id]) for run_id in runs]
        changed_parts = " and ".join(_CAUSES[cause] for cause in causes)
        errata.append(
            Row(
                anchor=f"{urls.build_attempt_anchor(name, 1)}-{numbers[name]}",
                eval=name,
                title=find_eval_title(site, name),
                href=urls.build_eval_path(name),
                date=max(verdict.date for verdict in replaced),
                causes=changed_parts or "nothing that is recorded",
                why=why,
                changed=sum(verdict.before != verdict.after for verdict in replaced),
                verdicts=len(replaced),
                runs=sorted(
                    moved, key=lambda row: (-abs(row.points or 0), row.model.name, row.run.href)
                ),
            )
        )
    return PageContext(
        "pages/errata.html",
        frame=urls.build_page_frame(
            "Errata",
            "errata/",
            "Evals whose grading was mended, the verdicts that changed, and what that moved.",
            "errata",
        ),
        errata=errata[::-1],
    )


def _build_moved_run(site: SiteData, run: RunSummary, verdicts: Sequence[ReplacedVerdict]) -> Row:
    """Return the effect of new verdicts at an eval on a run.

    The points are those by which its score changed; None if an attempt had or has no verdict.
    """
    name = verdicts[0].eval
    result = run.results[name]
    attributions = collect_attributions_and_mended(site, run.run_id)
    about = [find_sample_attribution(attributions, name, verdict.sample) for verdict in verdicts]
    links: list[urls.Link] = []
    passes, is_known = 0, True
    for verdict in verdicts:
        sample = f"#{verdict.sample} " if result.planned > 1 else ""
        same = verdict.before == verdict.after
        words = f"{verdict.after}, as before" if same else f"{verdict.before}, now {verdict.after}"
        links.append(
            urls.Link(urls.build_attempt_href(run, name, verdict.sample), f"{sample}{words}")
        )
        passes += (verdict.after == Outcome.PASSED) - (verdict.before == Outcome.PASSED)
        is_known = is_known and Outcome.INFRASTRUCTURE not in {verdict.before, verdict.after}
    return Row(
        model=link_model(run),
        experiment=describe_run_condition(run),
        run=urls.Link(urls.build_run_path(run.run_id), run.run_id[:8]),
        version_title=site.find_version_title(run.version),
        attempts=links,
        attribution=next(filter(None, about), None) or find_eval_attribution(attributions, name),
        points=100 * passes / result.judged / run.tally.evals_judged if is_known else None,
    )
