"""Texts that are redacted before a session leaves, and texts that stay."""

import re
from collections import Counter
from pathlib import Path
from time import process_time

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from hypothesis import example, given
from hypothesis import strategies as st

from review.redaction import list_rules, redact_prompt, redact_text
from review.secret_rules import rule, secret_tokens
from review.secret_rules.entropy import find_random_strings
from review.secret_rules.rule import REMOVED, SecretRule, fold_case
from tests.review.corpus import SECRET
from tests.review.secret_rules.redacted_texts import DISGUISED, NOT_CAUGHT, ORDINARY, SECRETS

pytestmark = pytest.mark.unit

DOCS = Path(__file__).parents[2] / "docs" / "exports.md"
# Put together here, so that no scanner takes this file for a leak.
TOKENS = [
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
PIECES = [
    *TOKENS,
    PEM,
    PEM[:99],
    "BeaRer abcdefghijkl123456",
    "/home/a",
    "C:\\uSers\\b",
    "://a:b@c",
    "toKen=abcdefgh12",
    "pa\u017f\u017fword: abcdefgh12",
    "\u212aey_: x",
    "\u0130",
    "\n",
    *(text for text, _ in SECRETS),
]
BEFORE = st.text(alphabet=" \n.,([", max_size=5)
AFTER = st.text(alphabet=" \n,)]", max_size=5)


@pytest.mark.parametrize(("text", "secret"), [*SECRETS, *DISGUISED])
def test_a_secret_of_a_known_shape_goes(text: str, secret: str) -> None:
    """Its shape, its beginning or its name marks it, even inside JSON within JSON."""
    assert secret in text
    counts = Counter[str]()
    clean = redact_text(f"before\n{text}\nafter", counts)
    assert secret not in clean
    assert counts.total() >= 1
    assert clean.startswith("before\n")
    assert clean.endswith("\nafter")


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text: str) -> None:
    """Code that names secrets, types, hashes, UUIDs, tables and prose stay."""
    counts = Counter[str]()
    assert redact_text(f"{text}\n", counts) == f"{text}\n"
    assert redact_text(text, counts) == text
    assert not counts


@pytest.mark.parametrize(("shape", "text", "part"), NOT_CAUGHT)
def test_the_limits_are_documented(shape: str, text: str, part: str) -> None:
    """No rule finds these shapes, and the documentation warns publishers of each."""
    assert part in redact_text(text)
    assert f"- {shape}" in DOCS.read_text("utf-8").splitlines()


def test_the_documentation_lists_no_other_limit() -> None:
    """A shape that is found now leaves the list."""
    section = DOCS.read_text("utf-8").partition("## Secrets that stay")[2].partition("\n## ")[0]
    listed = re.findall(r"(?m)^- (.+)$", section)
    assert listed == [shape for shape, *_ in NOT_CAUGHT]


def test_every_known_beginning_marks_a_token() -> None:
    """Each line of the data file works, at the end of a sentence as well."""
    for prefixes in secret_tokens.read_prefixes().values():
        for prefix, least in prefixes.items():
            body = ("a1B2c3D4e5F6g7H8" * 10)[:least]
            assert redact_text(f"It is {prefix}{body}.") == f"It is {REMOVED}.", prefix


_OWN = frozenset(
    {
        *("BasicAuthDetector", "Base64HighEntropyString", "CloudantDetector"),
        *("DiscordBotTokenDetector", "HexHighEntropyString", "IbmCloudIamDetector"),
        *("IbmCosHmacDetector", "JwtTokenDetector", "KeywordDetector", "NpmDetector"),
        *("OpenAIDetector", "PrivateKeyDetector", "SlackDetector", "SoftlayerDetector"),
        "TelegramBotTokenDetector",
    }
)
"""Detectors that are not used, because own rules find more, or take linear time."""

_NOT_CLAIMED = frozenset({"IPPublicDetector"})
"""Detectors of texts that are not secrets here."""


def test_every_rule_of_detect_secrets_has_its_place() -> None:
    """A detector of a newer version is used, replaced, or named as not claimed."""
    names = {detector.__name__ for detector in get_mapping_from_secret_type_to_class().values()}
    assert names == secret_tokens.USED.keys() | _OWN | _NOT_CLAIMED


@pytest.mark.parametrize(
    "rule",
    secret_tokens.make_detect_secrets_rules(),
    ids=lambda rule: f"{rule.kind} {rule.pattern.pattern[:30]}",
)
@given(data=st.data())
def test_the_matches_of_detect_secrets_go(rule: SecretRule, data: st.DataObject) -> None:
    """No match of the pattern stays whole, in any place."""
    pattern = re.compile(rule.pattern.pattern, (rule.pattern.flags & re.IGNORECASE) | re.ASCII)
    text = data.draw(
        st.from_regex(pattern, fullmatch=True).filter(lambda match: re.search("[0-9]", match))
    )
    assert text not in redact_text(f"x {text} y")


@pytest.mark.parametrize("secret", TOKENS)
@given(before=BEFORE, after=AFTER)
@example(before="...\n", after="")
def test_tokens_go_wherever_they_stand(secret: str, before: str, after: str) -> None:
    """Tokens go at the beginning, in quotes, at the end of a line; other text stays."""
    assert redact_text(f"{before}{secret}{after}") == f"{before}{REMOVED}{after}"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Authorization: Bearer abcdefghijkl123456", f"Authorization: Bearer {REMOVED}"),
        ("API_KEY=hunter2hunter2", f"API_KEY={REMOVED}"),
        ('"password": "correcthorse"', f'"password": "{REMOVED}"'),
        ("https://anna:secretpass@example.org/x", f"https://{REMOVED}@example.org/x"),
        ("/home/anna/app/a.ts and /Users/bob/x", "~/app/a.ts and ~/x"),
        ("C:\\Users\\Anna\\app", "~\\app"),
        ("/Users/Anna Smith/app", "~/app"),
        ("p/-Users-anna-app/x", "p/-~-app/x"),
        ("/root/app", "~/app"),
        ("curl -u anna:pw https://x.org", f"curl -u anna:{REMOVED} https://x.org"),
        (f"key:\n{PEM}\nthat was it", f"key:\n{REMOVED}\nthat was it"),
        (PEM.replace("\n", "\\n"), REMOVED),
        (PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"), REMOVED),
        (PEM.partition("-----END")[0], REMOVED),
        (f"{PEM} and {PEM}", f"{REMOVED} and {REMOVED}"),
        (f"{TOKENS[6]}{PEM}", f"{REMOVED}{REMOVED}"),
    ],
)
def test_by_example(text: str, clean: str) -> None:
    """Paths stay readable; the name of a variable stays, its value goes."""
    assert redact_text(text) == clean


def test_strings_that_look_secret_are_named() -> None:
    """Random strings that stay are named; hashes, UUIDs and names are not."""
    text = "use Xq7Rk2Lm9Tz4Vb8Nc3Wd for it, or 0123456789abcdef0123456789abcdef01234567"
    assert find_random_strings(redact_text(text)) == ["Xq7Rk2Lm9Tz4Vb8Nc3Wd"]
    text = "550e8400-e29b-41d4-a716-446655440000 internal.messages.sendTo2Users"
    assert find_random_strings(redact_text(text)) == []


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=4).map("".join))
def test_lines_stay_lines(text: str) -> None:
    """Only patterns of private keys match across lines; a second redaction changes nothing."""
    once = redact_text(text)
    if "PRIVATE" not in text:
        assert once.count("\n") == text.count("\n")
    assert redact_text(once) == once


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=6).map("".join))
@example("- name: DB_PASSWORD\n  value: hunter22- name: DB_PASSWORD\n  value: hunter22")
def test_looking_for_marks_first_changes_nothing(text: str) -> None:
    """A pattern is skipped only where it cannot match, also with letters that fold."""
    slowly, before = text, None
    while slowly != before:
        before = slowly
        for each in list_rules():
            slowly = each.pattern.sub(each.instead, slowly)
    assert redact_text(text) == slowly


def test_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgotten words are checked anew; a word of a thousand letters is never cached."""
    monkeypatch.setattr(rule, "_MOST_KNOWN", 10)
    rules = rule.PossibleRules(list_rules())
    long = f"sk_live_{'a1B2' * 250}"
    texts = [*(text for text, _ in SECRETS), long]
    expected = {text: rules.find(text) for text in texts}
    assert {text: rules.find(text) for text in expected} == expected
    words = rules._known  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - its size is the promise
    assert len(words) < 10 + max(len(text.split()) for text in texts) + 1
    assert long not in words
    assert expected[long]


@pytest.mark.parametrize("rule", [rule for rule in list_rules() if rule.starts])
def test_matches_begin_as_their_rule_states(rule: SecretRule) -> None:
    """Otherwise matches would be missed: all known texts are tried, in upper and lower case."""
    count = 0
    for text, _ in SECRETS:
        for variant in (text, text.upper(), text.lower(), f"my {text}"):
            for match in rule.pattern.finditer(variant):
                count += 1
                assert fold_case(match[0]).startswith(rule.starts)
    assert count


@given(st.text(max_size=50))
def test_prompts_are_redacted_alike(text: str) -> None:
    """The result is the same once or twice, cached or too long for the cache."""
    for prompt in (f"{text} {SECRET}", f"{text} {SECRET}", f"{text}{'x' * 50_001} {SECRET}"):
        assert redact_prompt(prompt) == redact_text(prompt)
        assert SECRET not in redact_prompt(prompt)


def list_adversarial_texts() -> list[str]:
    """Return the texts to repeat: each rule's marks, and beginnings of matches."""
    marks = {mark for rule in list_rules() for mark in rule.marks}
    return [
        *sorted(marks),
        "token",
        "secret-",
        "token=",
        'token="\\',
        "eyJ-",
        "eyJaaaaaaaa.",
        "a@",
        "://a:",
        "%20",
    ]


@pytest.mark.more
@pytest.mark.parametrize(
    ("large", "end"),
    [
        (40_000, "="),
        *(pytest.param(80_000, end, marks=pytest.mark.night) for end in ("", " ")),
        *(pytest.param(250_000, end, marks=pytest.mark.night) for end in ("", "=", " ")),
    ],
)
def test_a_large_text_takes_its_share_of_time(large: int, end: str) -> None:
    """Four times the text takes about four times the work, for each repeated text."""
    for repeated in list_adversarial_texts():
        pump = f"{repeated}{end}"
        spent: list[float] = []
        for size in (large // 4, large):
            text = pump * (size // len(pump)) + "("
            start = process_time()
            redact_text(text)
            spent.append(process_time() - start)
        assert spent[1] < 9 * spent[0] or spent[1] < _WORTH_S, pump


_WORTH_S = 0.2
"""Seconds below which a time proves nothing."""
