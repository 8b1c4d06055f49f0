"""The page of one model: all its runs."""

from generator.contexts import ModelPage
from generator.corpus import Corpus
from generator.pages.lines import run_line
from generator.pages.names import frame, model_path


def model_page(corpus: Corpus, slug: str) -> ModelPage:
    """Gather the page of the model called ``slug``."""
    runs = [run for run in corpus.runs if run.slug == slug]
    return ModelPage(
        frame=frame(runs[0].name, model_path(slug)),
        name=runs[0].name,
        slug=slug,
        provider=runs[0].provider,
        runs=[run_line(corpus, run) for run in runs],
    )
