"""The page of one eval: what it asks and how models fare at it."""

from generator.contexts import EvalPage, EvalRow
from generator.corpus import Corpus, EvalResult
from generator.pages.lines import run_line, share
from generator.pages.names import eval_path, frame, run_path
from generator.suite_texts import EvalTexts


def eval_page(corpus: Corpus, name: str, texts: EvalTexts | None) -> EvalPage:
    """Gather the page of the eval called ``name``; ``texts`` is None where none are ours."""
    met = [run for run in corpus.runs if name in run.results]
    counted = [run for run in met if run.withdrawn is None and not run.baseline]
    return EvalPage(
        frame=frame(name, eval_path(name)),
        name=name,
        title=texts.title if texts else None,
        concept=texts.concept if texts else None,
        why=texts.why if texts else None,
        task=texts.task if texts else None,
        score=share(run.results[name] for run in counted),
        rows=[
            EvalRow(
                run=run_line(corpus, run),
                outcome=outcome(run.results[name]),
                failed_step=run.results[name].failed_step,
                href=run_path(run.run_id) + "#" + name.replace("/", "-"),
            )
            for run in met
        ],
    )


def outcome(result: EvalResult) -> str:
    """Name the outcome of an eval's attempts in one run."""
    if result.judged < result.planned:
        return "infrastructure"
    if result.passed == result.planned:
        return "passed"
    return "failed" if result.passed == 0 else f"passed {result.passed} of {result.planned}"
