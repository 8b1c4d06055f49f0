"""Why a reader can trust the results: five facts, each computed where numbers occur."""

from generator.render.templates import Row
from generator.site_data import SiteData


def build_trust(site: SiteData) -> Row:
    """Return the facts that the block `trust.html` tells."""
    proofs = [texts.calibration for texts in site.texts.values()]
    rates = [audit.errors for audit in site.audits if audit.errors.interval is not None]
    return Row(
        evals=len(proofs),
        refused=sum(len(proof.failing) for proof in proofs),
        accepted=sum(len(proof.passing) for proof in proofs),
        answers=sum(len(run.kept) for run in site.summaries.runs if not run.baseline),
        errors=rates[0] if rates else None,
    )
