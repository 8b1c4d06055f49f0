"""The hosts of a run: counted where they are named, and listed where there are several."""

import pytest

from records.runs.hosts import count_by_host, describe_host_mixture, format_name_counts
from records.shapes.attempt import Attempt
from tests.records.examples import make_attempt, make_eval_name, make_generation

pytestmark = pytest.mark.unit


def make_answered_attempts(*names: tuple[str | None, str | None]) -> list[Attempt]:
    """Return attempts whose replies name such hosts and fingerprints."""
    return [
        make_attempt(make_eval_name(number)).model_copy(
            update={
                "generation": make_generation().model_copy(
                    update={"served_by": host, "system_fingerprint": fingerprint}
                )
            }
        )
        for number, (host, fingerprint) in enumerate(names)
    ]


def test_a_run_of_several_hosts_is_reported_with_its_hosts() -> None:
    """Each host has the number of its answers, the most frequent first."""
    attempts = make_answered_attempts(("Together", None), ("DeepInfra", None), ("DeepInfra", None))
    assert (
        describe_host_mixture(attempts) == "Answers come from 2 hosts: DeepInfra (2), Together (1)"
    )


def test_a_changing_fingerprint_is_reported_too() -> None:
    """A host may change weights and settings in the middle of a run."""
    attempts = make_answered_attempts(("DeepInfra", "fp_q4"), ("DeepInfra", "fp_bf16"))
    assert describe_host_mixture(attempts) == (
        "Answers come from 2 builds of the server by its fingerprint: fp_bf16 (1), fp_q4 (1)"
    )


@pytest.mark.parametrize(
    "names",
    [
        [("DeepInfra", "fp_q4"), ("DeepInfra", "fp_q4")],
        [("DeepInfra", None), (None, None)],
        [(None, None)],
        [],
    ],
)
def test_one_host_or_none_is_no_mixture(names: list[tuple[str | None, str | None]]) -> None:
    """An answer without a name proves no second host."""
    assert describe_host_mixture(make_answered_attempts(*names)) is None


def test_a_name_of_hostile_length_is_cut_and_a_long_list_ends() -> None:
    """A provider may choose any names."""
    attempts = make_answered_attempts(
        *((f"{'x' * 500}\n{number}", None) for number in range(5)), ("a", None)
    )
    counts = count_by_host(attempts)
    assert len(format_name_counts(counts)) < 500
    assert format_name_counts(counts).endswith("and 1 more")
