"""Questions to scripted providers, in an event loop that is closed clean."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from records.shapes.attempt import Fault, FaultClass, Generation
from records.shapes.registry import Limits, ModelEntry
from runner.models.ask import GenerationResult, generate
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs import Budget
from runner.models.faults.circuit_breaker import Pace
from runner.models.requests.heard import Tell, ignore_wait
from runner.models.requests.lazy_litellm import close, load_litellm
from tests.runner.models.provider import Provider, Rule, Script, Step, serve_provider

Result = TypeVar("Result")

ENDURING = Pace(first_s=0.001, longest_s=60.0, endurance=1e6)
"""A pace that hardly pauses of its own accord, and bears trouble for any time."""


def make_model(api_base: str, *, timeout_s: float = 60.0, **fields: object) -> ModelEntry:
    """Describe the scripted model, which may write 1,000 tokens."""
    defaults: dict[str, object] = {
        "slug": "local/scripted",
        "name": "Scripted",
        "provider": "local",
        "litellm_id": "openai/scripted",
        "api_base": api_base,
        "limits": Limits(timeout_s=timeout_s, max_output_tokens=1000),
    }
    return ModelEntry.model_validate(defaults | fields)


def make_entry(litellm_id: str = "a/b", **fields: object) -> ModelEntry:
    """Return a model that litellm knows by this id, with a variable for its key; ``fields`` win."""
    defaults = {"slug": "a/b", "name": "B", "provider": "A", "litellm_id": litellm_id}
    return ModelEntry.model_validate(defaults | {"api_key_env": "A_KEY_OF_TESTS"} | fields)


def run_in_loop(work: Callable[[], Awaitable[None]]) -> None:
    """Run ``work`` in a loop of its own, and close the connections of litellm in it."""

    async def work_and_close() -> None:
        try:
            await work()
        finally:
            await close()

    load_litellm()  # the import takes seconds, which no measured time may include
    asyncio.run(work_and_close())


def ask_at(provider: Provider, ask: Callable[[str], Awaitable[Result]]) -> Result:
    """Serve a provider, and return the result of ``ask`` with its address."""
    results: list[Result] = []

    async def work() -> None:
        async with serve_provider(provider) as address:
            results.append(await ask(address))

    run_in_loop(work)
    return results[0]


def make_provider(*steps: Step) -> Provider:
    """Return a provider that answers by ``steps``, and by the last step for ever."""
    return Provider(Script(rules=(Rule(match="", steps=steps[:-1], then=steps[-1]),)))


async def ask_model(
    entry: ModelEntry,
    text: str = "Write it.",
    queues: ProviderQueues | None = None,
    budget: Budget | None = None,
) -> GenerationResult:
    """Ask a model one question, with short waits between tries."""
    question = [{"role": "user", "content": text}]
    queues, budget = queues or ProviderQueues(pace=ENDURING), budget or Budget()
    return await generate(entry, question, queues=queues, budget=budget)


def ask_provider(  # noqa: PLR0913 - each option stands alone
    *steps: Step,
    timeout_s: float = 60.0,
    budget: Budget | None = None,
    tell: Tell = ignore_wait,
    asking: Callable[[float], None] = lambda _: None,
    prompt: str = "Write it.",
    provider: Provider | None = None,
    system: str | None = None,
    **fields: object,
) -> tuple[GenerationResult, Provider]:
    """Ask a provider that answers by ``steps``, and by the last step for ever.

    ``provider`` may be another one, with its own answers. ``system`` is a message before the
    user's.
    """
    asked_one = provider or make_provider(*steps)
    before = [] if system is None else [{"role": "system", "content": system}]

    async def ask(address: str) -> GenerationResult:
        return await generate(
            make_model(address, timeout_s=timeout_s, **fields),
            [*before, {"role": "user", "content": prompt}],
            queues=ProviderQueues(pace=ENDURING),
            budget=budget or Budget(),
            tell=tell,
            asking=asking,
        )

    return ask_at(asked_one, ask), asked_one


def get_generation(generated: GenerationResult) -> Generation:
    """Return the facts of a reply that came."""
    assert generated.generation is not None
    return generated.generation


def count_causes(results: Sequence[GenerationResult]) -> Counter[FaultClass | None]:
    """Return the numbers of results by their faults; None stands for an answer."""
    return Counter(None if result.fault is None else result.fault.kind for result in results)


def assert_fault(generated: GenerationResult, kind: FaultClass, *quotes: str) -> Fault:
    """Check the cause of a missing answer, and the quotes in its evidence; return the fault."""
    assert generated.fault is not None
    assert generated.fault.kind is kind, generated.fault
    assert [quote for quote in quotes if quote not in generated.fault.evidence] == []
    return generated.fault


def list_request_times(provider: Provider) -> Sequence[float]:
    """Return the times of the requests, in seconds after the first request."""
    return [request["at"] - provider.requests[0]["at"] for request in provider.requests]
