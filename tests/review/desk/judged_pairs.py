"""A comparison of three models, and judgements of its pairs at the desk."""

from pathlib import Path

import httpx

from records.sessions.asked import ModelComparison
from records.writer import write_record
from review.comparisons import ComparedPair, list_answered_pairs
from review.store import SessionStore
from tests.review.comparing import make_compared_answer, make_comparison
from tests.review.corpus import store_of
from tests.review.desking import HOSTILE, read_form_fields

ONE, TWO, THREE = "maker/secret-one", "maker/secret-two", "maker/secret-three"
MADE = make_comparison(
    [ONE, TWO, THREE],
    4,
    [
        *(
            make_compared_answer(f"session-{n:04}", ONE, f"Fern {n}\n\n```ts\ntake(10)\n```")
            for n in range(4)
        ),
        *(make_compared_answer(f"session-{n:04}", TWO, f"Moss {n}. {HOSTILE}") for n in range(4)),
        make_compared_answer("session-0000", THREE, "Lichen"),
    ],
)
PLACE = f"comparisons/{MADE.comparison_id}"


def store_beside(data: Path, made: ModelComparison) -> SessionStore:
    """Return the store of a data folder that has a comparison, and no session."""
    store = store_of(data, [])
    write_record(store.folder.local.comparisons, made)
    return store


def list_model_pairs(made: ModelComparison) -> list[ComparedPair]:
    """Return the pairs of the first two models."""
    return [pair for pair in list_answered_pairs(made) if {pair.first, pair.second} == {ONE, TWO}]


def post_choice(
    client: httpx.Client, pair: ComparedPair, better: str, after: str = ""
) -> httpx.Response:
    """Send the form of a pair; ``after`` follows the address of its page."""
    path = f"{PLACE}/{pair.number}"
    return client.post(f"{path}{after}", data={**read_form_fields(client, path), "better": better})


def judge_all(client: httpx.Client) -> None:
    """Judge the answer on the left to be better in every pair."""
    for pair in list_answered_pairs(MADE):
        post_choice(client, pair, "a")
