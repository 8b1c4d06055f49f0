import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import AmbiguousRunError, MissingRecordError
from records.files.data_folder import DataFolder, decode_slug, encode_slug
from records.files.name_patterns import MODEL_SLUG
from tests.records import examples

pytestmark = pytest.mark.unit

SLUGS = st.from_regex(MODEL_SLUG, fullmatch=True).filter(lambda slug: not slug.endswith("\n"))
HALVES = st.sampled_from(
    ["con", "nul", "aux.txt", "com1", "lpt9.tar.gz", "console", "com10", "a.", "a.:", "a:.", "a:"]
)
NASTY = st.builds("{}/{}".format, HALVES.filter(lambda half: ":" not in half), HALVES)
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)


def test_every_kind_has_its_place(tmp_path: Path) -> None:
    """The tree of a data folder is the tree in the documents."""
    folder = DataFolder(tmp_path)
    run_id = "0123456789abcdef"
    day = examples.NOON.date()

    assert folder.models_file == tmp_path / "models.toml"
    assert folder.benchmarks.get_file("0123456789ab") == tmp_path / "benchmarks/0123456789ab.json"
    assert folder.get_run_file("a/b", run_id) == tmp_path / f"runs/a/b/{run_id}.json"
    assert folder.get_journal_file("a/b", run_id) == tmp_path / f"runs/a/b/{run_id}.journal.jsonl"
    assert folder.get_artifact_file("a/b", run_id) == tmp_path / f"artifacts/a/b/{run_id}.zip"
    assert folder.get_report_file("a/b", run_id, day) == (
        tmp_path / "reports/a/b/01234567_2026-11-21.md"
    )
    assert folder.get_session_file("session-1") == tmp_path / "local/sessions/session-1.json"
    assert folder.sessions.get_file("session-1") == tmp_path / "sessions/session-1.json"
    assert folder.local.get_run_file("a/b", run_id) == tmp_path / f"local/runs/a/b/{run_id}.json"


def test_a_session_has_two_places_and_one_log(tmp_path: Path) -> None:
    """The raw file is read before the published copy; the log lies beside the copy if it exists."""
    folder = DataFolder(tmp_path)
    raw, published = (
        folder.local.sessions.get_file("session-1"),
        folder.sessions.get_file("session-1"),
    )
    other = folder.sessions.get_file("session-0")
    assert folder.get_label_file("session-1") == folder.local.labels.get_file("session-1")
    for path in (published, other):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert list(folder.list_session_files()) == [other, published]
    assert folder.get_session_file("session-1") == published
    raw.parent.mkdir(parents=True)
    raw.touch()
    assert list(folder.list_session_files()) == [other, raw]
    assert folder.get_session_file("session-1") == raw
    assert folder.get_label_file("session-1") == folder.labels.get_file("session-1")


@pytest.mark.parametrize("slug", ["a", "a/b/c", "../b", "a/..", "a/b\n", "A/b", "a/b\0", ""])
def test_a_name_cannot_leave_its_folder(slug: str) -> None:
    """A name that is no slug is refused before it becomes a path."""
    with pytest.raises(ValueError, match="not of the form"):
        DataFolder(Path("data")).get_run_file(slug, "0123456789abcdef")


def test_listings_are_sorted_and_keep_kinds_apart(tmp_path: Path) -> None:
    """Records, journals and temporary files in the same folder are separated."""
    folder = DataFolder(tmp_path)
    second = folder.get_run_file("b/m", "b" * 16)
    first = folder.get_run_file("a/m", "c" * 16)
    journal = folder.get_journal_file("a/m", "a" * 16)
    for path in (second, first, journal, first.with_name(".x.json.tmp"), first.parent / ".y.json"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    assert list(folder.list_run_files()) == [first, second]
    assert list(folder.list_journal_files()) == [journal]
    assert list(folder.list_report_files()) == []


def test_a_record_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    """A single fit is the answer, none is missing, several are ambiguous, an exact id wins."""
    trials = DataFolder(tmp_path).trials
    paths = [trials.get_file(name) for name in ("abc" + "0" * 16, "abc" + "0" * 17, "b" * 16)]
    trials.folder.mkdir()
    for path in paths:
        path.touch()

    assert trials.find_file("bb") == paths[2]
    assert trials.find_file("abc" + "0" * 16) == paths[0]
    with pytest.raises(AmbiguousRunError, match="begins several trials"):
        trials.find_file("abc")
    for nothing in ("", "zz"):
        with pytest.raises(MissingRecordError, match="no trial whose id begins"):
            trials.find_file(nothing)


@given(st.one_of(SLUGS, NASTY))
def test_no_part_of_a_path_is_refused_by_windows_or_github(slug: str) -> None:
    """Each part has safe signs, ends in none that is dropped, and means no device."""
    parts = encode_slug(slug).split("/")
    assert len(parts) == 2
    for part in parts:
        assert re.fullmatch(r"[a-z0-9._~-]+", part)
        assert not part.startswith((".", "-"))
        assert not part.endswith(".")
        assert DEVICE.match(part) is None


@given(st.one_of(SLUGS, NASTY))
def test_a_path_leads_back_to_its_slug(slug: str) -> None:
    """Two slugs never have one path; paths have no capitals in which they could differ."""
    assert decode_slug(encode_slug(slug)) == slug
    assert decode_slug(slug) == slug


@pytest.mark.parametrize(
    ("slug", "path"),
    [
        ("openai/gpt-6", "openai/gpt-6"),
        ("openrouter/acme:free", "openrouter/acme~free"),
        ("aux/base", "~aux~/base"),
        ("acme/nul.gguf", "acme/~nul.gguf~"),
        ("acme/base.", "acme/~base.~"),
    ],
)
def test_plain_slugs_are_their_own_paths(slug: str, path: str) -> None:
    """Only what would be refused is written in another way."""
    assert encode_slug(slug) == path
