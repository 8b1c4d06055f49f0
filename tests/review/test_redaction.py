"""What is taken out of a text before it leaves, and what stays."""

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.redaction import PASSES, REMOVED, redacted, redacted_prompt
from tests.review.corpus import SECRET

pytestmark = pytest.mark.unit

# Put together here, so that no scanner takes this file for a leak.
SECRETS = [
    "-".join(("sk", "proj", "a1B2" * 6)),
    "-".join(("sk", "ant", "api03", "a1B2" * 6)),
    "_".join(("osk", "a1B2" * 6)),
    "_".join(("ghp", "a1B2" * 9)),
    "_".join(("github", "pat", "a1B2" * 8)),
    "AKIA" + "A1B2" * 4,
    "AIza" + "a1B2" * 9,
    "-".join(("xoxb", "123456789012", "a1B2" * 3)),
    f"eyJ{'a1B2' * 4}.eyJ{'a1B2' * 3}.a1B2c3",
    "anna.b+c@mail.example.org",
]
PEM = "\n".join(
    (
        f"-----BEGIN {'RSA PRIVATE KEY'}-----",
        "Proc-Type: 4,ENCRYPTED",
        *["MIIE" + "a1B2+/c3" * 7] * 3,
        "a1B2==",
        f"-----END {'RSA PRIVATE KEY'}-----",
    )
)
BEFORE = st.text(alphabet=" \n.,([", max_size=5)
AFTER = st.text(alphabet=" \n,)]", max_size=5)


@pytest.mark.parametrize("secret", SECRETS)
@given(before=BEFORE, after=AFTER)
def test_secrets_go_wherever_they_stand(secret: str, before: str, after: str) -> None:
    """At the beginning, in quotes, at the end of a line; what is around them stays."""
    assert redacted(f"{before}{secret}{after}") == f"{before}{REMOVED}{after}"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Authorization: Bearer abcdefghijkl123456", f"Authorization: Bearer {REMOVED}"),
        ("API_KEY=hunter2hunter2", f"API_KEY={REMOVED}"),
        ('"password": "correcthorse"', f'"password": "{REMOVED}"'),
        ("https://anna:secretpass@example.org/x", f"https://{REMOVED}@example.org/x"),
        ("/home/anna/app/a.ts and /Users/bob/x", "~/app/a.ts and ~/x"),
        ("C:\\Users\\Anna\\app", "~\\app"),
        ("/root/app", "~/app"),
        (f"key:\n{PEM}\nthat was it", f"key:\n{REMOVED}\nthat was it"),
        (PEM.replace("\n", "\\n"), REMOVED),
        (PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"), REMOVED),
        (PEM.partition("-----END")[0], REMOVED),
        (f"{PEM} and {PEM}", f"{REMOVED} and {REMOVED}"),
        (f"{SECRETS[6]}{PEM}", f"{REMOVED}{REMOVED}"),
    ],
)
def test_by_example(text: str, clean: str) -> None:
    """Paths stay readable; a key of a variable stays, its value goes."""
    assert redacted(text) == clean


@pytest.mark.parametrize(
    "text", ["const token = useToken();", "the sk- prefix", "a task-list", "12:30 @home", "/rooted"]
)
def test_code_stays(text: str) -> None:
    """What only looks a little like a secret is left alone."""
    assert redacted(text) == text


@given(st.text())
def test_lines_stay_lines(text: str) -> None:
    """But for private keys no pattern reaches over their ends; twice changes nothing more."""
    once = redacted(text)
    assert once.count("\n") == text.count("\n")
    assert redacted(once) == once


@given(
    st.lists(
        st.sampled_from(
            [
                *SECRETS,
                PEM,
                PEM[:99],
                "BeaRer abcdefghijkl123456",
                "/home/a",
                "C:\\uSers\\b",
                "://a:b@c",
            ]
        )
        | st.sampled_from(
            ["toKen=abcdefgh12", "pa\u017f\u017fword: abcdefgh12", "\u212aey_: x", "\n"]
        )
        | st.text(max_size=6),
        max_size=6,
    )
)
def test_looking_for_words_first_changes_nothing(parts: list[str]) -> None:
    """A pattern is left out only where it would match nowhere: also with letters that fold."""
    slowly = "".join(parts)
    for _, pattern, instead in PASSES:
        slowly = pattern.sub(instead, slowly)
    assert redacted("".join(parts)) == slowly


@given(st.text(max_size=50))
def test_prompts_are_redacted_alike(text: str) -> None:
    """Looked at once or twice, remembered or too long to be."""
    for one in (f"{text} {SECRET}", f"{text} {SECRET}", f"{text}{'x' * 50_001} {SECRET}"):
        assert redacted_prompt(one) == redacted(one)
        assert SECRET not in redacted_prompt(one)


ASSIGNMENT = (
    r"(?i)((?:api[_-]?key|secret|token|passw(?:or)?d)[\w-]*[\"']?[ \t]*[:=][ \t]*[\"']?)"
    r"([^\s\"',;()\[\]{}]{8,}+)(?![(\[])"
)
PLAIN = {
    ("sk-", "sk_", "rk-", "rk_", "pk-", "pk_"): (
        r"\b(?:sk|rk|pk|osk)[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9_-]{16,}",
        REMOVED,
    ),
    ("eyj",): (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", REMOVED),
    ("key", "secret", "token", "passw"): (ASSIGNMENT, rf"\g<1>{REMOVED}"),
}
"""Passes as they would be written if time did not matter."""


@given(
    st.lists(
        st.sampled_from(
            ["token", "Secret", "api_key", "key", "passw", "or", "d", "eyJ", "sk", "osk", "pk"]
        )
        | st.sampled_from(
            ["a1B2c3D4", "abcd", "x", "\u0130", "\u212a", *"-_.=: \t\"'([),;\n/"],
        ),
        max_size=25,
    ).map("".join)
)
def test_linear_passes_remove_the_same(text: str) -> None:
    """A pass that is written for speed leaves what the plain pattern would leave."""
    passes = {marks: (pattern, instead) for marks, pattern, instead in PASSES}
    for marks, (plain, left) in PLAIN.items():
        pattern, instead = passes[marks]
        assert pattern.sub(instead, text) == re.sub(plain, left, text)


@pytest.mark.parametrize(
    "repeated",
    ["token", "secret-", "token=", "eyJ-", "eyJaaaaaaaa.", "passw(", "sk-a-", "a@", "://a:"],
)
def test_a_large_text_takes_its_share_of_time(repeated: str) -> None:
    """Four times the text is no more than a few times the work: ratio of processor times."""
    small, large = (repeated * (size // len(repeated)) + "(" for size in (250_000, 1_000_000))
    spent: list[float] = []
    for text in (small, large):
        start = process_time()
        redacted(text)
        spent.append(process_time() - start)
    assert spent[1] < 9 * spent[0] or spent[1] < 0.1
