"""The page of one attempt: what was asked, what came back, and how it was judged."""

from collections.abc import Mapping

from generator.contexts import AttemptPage, Fact, FileView, Said, StepLine, TestLine
from generator.corpus import Corpus, RunSummary
from generator.pages.lines import run_line
from generator.pages.names import attempt_path, frame
from generator.pages.runs import attempt_line
from generator.render import dollars, seconds
from records.artifacts import AttemptArtifact
from records.run import Attempt, CostBasis, Generation


def attempt_page(  # noqa: PLR0913 - an attempt's page joins six sources
    corpus: Corpus,
    summary: RunSummary,
    *,
    attempt: Attempt,
    artifact: AttemptArtifact,
    reference: Mapping[str, str],
    evals: frozenset[str],
) -> AttemptPage:
    """Gather the page of ``attempt`` with what its archive kept and the reference's files."""
    return AttemptPage(
        frame=frame(
            f"{attempt.eval} by {summary.name}",
            attempt_path(summary.run_id, attempt.eval, attempt.sample),
        ),
        run=run_line(corpus, summary),
        line=attempt_line(summary, attempt, evals),
        facts=_facts(attempt.generation) if attempt.generation else [],
        steps=[
            StepLine(
                name=step.name.value,
                outcome=step.outcome.value,
                duration_s=step.duration_s,
                message=step.message,
                log=artifact.logs.get(step.name.value, ""),
            )
            for step in attempt.steps or ()
        ],
        tests=[
            TestLine(
                anchor=f"test-{number}",
                name=test.name,
                title=test.title,
                outcome=test.outcome.value,
                message=test.message,
            )
            for number, test in enumerate(attempt.tests or (), start=1)
        ],
        files=[
            FileView(path, artifact.files.get(path), reference.get(path))
            for path in sorted(artifact.files.keys() | reference.keys())
        ],
        messages=[Said(message.role, message.content) for message in artifact.messages],
        reply=artifact.reply,
    )


def _facts(generation: Generation) -> list[Fact]:
    tokens = generation.tokens
    facts = [
        Fact("Generation", seconds(generation.duration_s)),
        Fact("First token", seconds(generation.time_to_first_token_s)),
        Fact("Finish reason", generation.finish_reason or "not said"),
        Fact("Tries", str(generation.tries)),
    ]
    named = {
        "Input tokens": tokens.input,
        "Cached": tokens.cached_input,
        "Output tokens": tokens.output,
        "Reasoning": tokens.reasoning,
    }
    facts += [Fact(label, f"{count:,}") for label, count in named.items() if count is not None]
    if generation.cost_basis is not CostBasis.UNKNOWN:
        facts.append(
            Fact("Cost", f"{dollars(generation.cost_usd)} ({generation.cost_basis.value})")
        )
    return facts
