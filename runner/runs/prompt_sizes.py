"""The warning about prompts that are longer than the context of a run's server."""

from typing import Final

from records.shapes.registry import ModelEntry
from runner.answers.prompt import render_prompt
from runner.models.context_length import find_context_length
from runner.models.tokens import count_prompt
from runner.runs.plan import RunPlan
from runner.runs.provenance import find_address, is_near

_OLLAMA: Final = "http://127.0.0.1:11434"


def _find_own_server(entry: ModelEntry) -> str | None:
    """Return the address of the user's own server that ``entry`` is asked at; else None."""
    address = find_address(entry)
    if address is not None:
        return address if entry.api_base is not None or is_near(address) else None
    return _OLLAMA if entry.litellm_id.startswith(("ollama/", "ollama_chat/")) else None


def find_length_warning(plan: RunPlan) -> str | None:
    """Return a warning if prompts do not fit into the context of the user's own server; else None.

    The server is asked for the length of its context. The tokens of prompts are counted with this
    program's vocabulary, which is not the model's own.
    """
    address = None if plan.entry is None else _find_own_server(plan.entry)
    if plan.entry is None or address is None:
        return None
    length = find_context_length(plan.entry, address)
    if length is None:
        return None
    sizes = [
        count_prompt(render_prompt(evaluation, plan.guidelines))
        for evaluation in plan.evals.values()
    ]
    longer = [size for size in sizes if size > length]
    if not longer:
        return None
    return (
        f"{len(longer)} of {len(sizes)} prompts do not fit into the context of "
        f"{plan.run.model.slug}: its server takes {length:,} tokens, and the longest has about "
        f"{max(longer):,} by this program's count. Start the server with a longer context, or "
        "leave the guidelines out with -e no_guidelines"
    )
