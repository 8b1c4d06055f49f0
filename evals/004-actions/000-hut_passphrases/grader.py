# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Passphrases of mountain huts: hashed in an action, stored and compared behind closed doors."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Source

PASSPHRASES = {
    "words": "edelweiss 1897",
    "as_short_as_may_be": "12345678",
    "umlauts": "Grüß Gott, Männer!",
    "blanks": "  blanks around  ",
    "long": "雪" * 40,
}


def set_passphrase(convex: Convex, hut: str, passphrase: str) -> None:
    """Set a hut's passphrase."""
    assert convex.action("passphrases:set", {"hut": hut, "passphrase": passphrase}) is None


def check(convex: Convex, hut: str, passphrase: str) -> bool:
    """Ask whether this is the hut's passphrase."""
    answer = convex.action("passphrases:check", {"hut": hut, "passphrase": passphrase})
    assert isinstance(answer, bool)
    return answer


def credential(passphrase: str, salt: bytes) -> dict[str, str]:
    """Compute what may be kept of a passphrase."""
    hashed = hashlib.scrypt(
        passphrase.encode(), salt=salt, n=2048, r=8, p=1, dklen=64, maxmem=64 * 2**20
    )
    return {"salt": salt.hex(), "hash": hashed.hex()}


def stored(convex: Convex, hut: str) -> dict[str, Any]:
    """Tell what is stored for a hut, and demand that there is exactly one document."""
    (document,) = (row for row in convex.table("credentials") if row["hut"] == hut)
    return {name: value for name, value in document.items() if not name.startswith("_")}


@pytest.mark.parametrize("passphrase", PASSPHRASES.values(), ids=PASSPHRASES.keys())
def test_the_stored_hash_is_scrypt_of_passphrase_and_salt(convex: Convex, passphrase: str) -> None:
    """What is stored is the salt and the scrypt hash, in lower-case hexadecimal, and no more."""
    set_passphrase(convex, "Goûter", passphrase)
    document = stored(convex, "Goûter")
    salt = bytes.fromhex(document["salt"])
    assert len(salt) == 16
    assert document == {"hut": "Goûter", **credential(passphrase, salt)}


@pytest.mark.parametrize("passphrase", PASSPHRASES.values(), ids=PASSPHRASES.keys())
def test_a_stored_hash_is_recognised(convex: Convex, passphrase: str) -> None:
    """A hash that was computed elsewhere, by the same rule, lets its passphrase in."""
    kept = credential(passphrase, bytes(range(240, 256)))
    convex.insert("credentials", {"hut": "Rifugio Nuvolau", **kept})
    assert check(convex, "Rifugio Nuvolau", passphrase) is True
    assert check(convex, "Rifugio Nuvolau", passphrase + " ") is False


def test_only_the_right_passphrase_is_let_in(convex: Convex) -> None:
    """The hut's own passphrase is let in; a mere beginning or another case of it is not."""
    set_passphrase(convex, "Konkordia", "glacier table")
    assert check(convex, "Konkordia", "glacier table") is True
    for wrong in ("glacier tabl", "Glacier table", "", "konkordia", "glacier table!"):
        assert check(convex, "Konkordia", wrong) is False


def test_a_hut_without_passphrase_lets_nobody_in(convex: Convex) -> None:
    """A hut that has no passphrase answers false, and that is no error."""
    set_passphrase(convex, "Konkordia", "glacier table")
    assert check(convex, "Monte Rosa", "glacier table") is False
    assert check(convex, "Monte Rosa", "") is False


def test_huts_have_passphrases_of_their_own(convex: Convex) -> None:
    """One hut's passphrase does not open another, and setting it leaves the others'."""
    huts = {"Alpha": "first rope", "Beta": "second rope", "Gamma": "third rope"}
    for hut, passphrase in huts.items():
        set_passphrase(convex, hut, passphrase)
    for hut in huts:
        for owner, passphrase in huts.items():
            assert check(convex, hut, passphrase) is (hut == owner)


def test_a_new_passphrase_takes_the_place_of_the_old(convex: Convex) -> None:
    """After a change only the new passphrase is let in, and one document is kept."""
    for passphrase in ("first of all", "second to none", "third and last"):
        set_passphrase(convex, "Konkordia", passphrase)
    assert len(convex.table("credentials")) == 1
    assert check(convex, "Konkordia", "third and last") is True
    assert check(convex, "Konkordia", "first of all") is False


def test_salts_are_random(convex: Convex) -> None:
    """The same passphrase has another salt each time, so that hashes cannot be compared."""
    for hut in ("Alpha", "Beta", "Gamma"):
        set_passphrase(convex, hut, "the same rope")
    salts = {row["salt"] for row in convex.table("credentials")}
    assert len(salts) == 3
    set_passphrase(convex, "Alpha", "the same rope")
    assert stored(convex, "Alpha")["salt"] not in salts


@pytest.mark.parametrize("passphrase", ["", "1234567"], ids=["empty", "seven"])
def test_short_passphrases_are_refused(convex: Convex, passphrase: str) -> None:
    """A passphrase of less than 8 characters is refused, and the old one stays."""
    set_passphrase(convex, "Konkordia", "glacier table")
    before = convex.table("credentials")
    with pytest.raises(FunctionFailed) as refusal:
        convex.action("passphrases:set", {"hut": "Konkordia", "passphrase": passphrase})
    assert refusal.value.data == "too short"
    assert convex.table("credentials") == before


@pytest.mark.parametrize("field", ["hut", "salt", "hash"])
def test_credentials_are_texts(convex: Convex, field: str) -> None:
    """A credential whose hut, salt or hash is no text cannot be stored."""
    right = {"hut": "Tschierva", **credential("edelweiss 1897", b"s" * 16)}
    convex.insert("credentials", right)
    with pytest.raises(FunctionFailed):
        convex.insert("credentials", right | {field: 1.0})


def test_only_set_and_check_are_public(convex: Convex) -> None:
    """The public can call `set` and `check`, both actions, and nothing else."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {"passphrases:set": "action", "passphrases:check": "action"}


def test_hashes_are_compared_in_constant_time(source: Source) -> None:
    """The comparison is Node's own for secrets, which takes the same time for every wrong guess."""
    assert source.calls("timingSafeEqual")


@pytest.mark.parametrize("level", ["debug", "log", "info", "warn", "error"])
def test_nothing_is_logged(source: Source, level: str) -> None:
    """Nothing is written to the log."""
    assert source.calls(f"console.{level}") == []


@pytest.mark.parametrize(
    "wrong", [{"hut": 1.0}, {"passphrase": 12_345_678.0}], ids=["hut", "words"]
)
def test_arguments_are_texts(convex: Convex, wrong: dict[str, float]) -> None:
    """A hut or passphrase that is no text is refused, whether or not anything is stored."""
    right = {"hut": "Tschierva", "passphrase": "edelweiss 1897"}
    for function in ("check", "set"):
        with pytest.raises(FunctionFailed):
            convex.action(f"passphrases:{function}", {**right, **wrong})
    assert convex.table("credentials") == []


def test_other_huts_are_not_read(convex: Convex) -> None:
    """What a call reads does not depend on how many huts there are."""
    kept = credential("edelweiss 1897", bytes(16))
    convex.insert_many("credentials", [{"hut": f"Hut {n}", **kept} for n in range(60)])
    convex.limit(documents_read=20)
    assert check(convex, "Hut 59", "edelweiss 1897") is True
    set_passphrase(convex, "Hut 59", "glacier table")
    assert check(convex, "Hut 59", "glacier table") is True
