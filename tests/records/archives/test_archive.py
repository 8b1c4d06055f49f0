from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.archives import archive as artifacts
from records.archives.archive import (
    Archive,
    OpenArchives,
    compute_artifact_digest,
    is_inside,
    write_archive,
)
from records.errors import InvalidRecordError, MissingRecordError
from tests.records import examples
from tests.records.archives.reading import read_attempt
from tests.support.zips import pack_zip

pytestmark = pytest.mark.unit

NAME = "000-a/000-b"


def write_zip(path: Path, *members: tuple[str, bytes]) -> Path:
    """Write an archive as a stranger might."""
    path.write_bytes(pack_zip(*members))
    return path


def test_files_of_an_attempt_are_read_back(tmp_path: Path) -> None:
    """The archive of a run holds its attempts with any text that they wrote."""
    path = tmp_path / "run.zip"
    first = examples.make_artifact(NAME)
    second = first.model_copy(update={"sample": 2, "reply": None, "files": {"a b/ü.ts": "\0é\r\n"}})

    write_archive(path, [first, second])

    with Archive(path) as archive:
        assert archive.list_places() == [(NAME, 1), (NAME, 2)]
        assert archive.read(NAME, 1) == first
        assert archive.read(NAME, 2) == second
    with pytest.raises(MissingRecordError, match="holds nothing of"):
        read_attempt(path, NAME, 3)
    with pytest.raises(MissingRecordError, match="no such file"):
        read_attempt(tmp_path / "gone.zip", NAME, 1)


def test_the_same_attempts_give_the_same_bytes(tmp_path: Path) -> None:
    """Neither the clock nor the order of files shows in an archive."""
    artifact = examples.make_artifact(NAME)
    reordered = artifact.model_copy(update={"files": dict(reversed(list(artifact.files.items())))})

    write_archive(tmp_path / "one.zip", [artifact])
    write_archive(tmp_path / "other.zip", [reordered])

    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()
    assert compute_artifact_digest(artifact) == compute_artifact_digest(reordered)


def test_a_digest_distinguishes_names_from_contents() -> None:
    """Moving a byte from a file's name to its content changes the digest."""
    first = examples.make_artifact(NAME, files={"ab": "c"})
    second = examples.make_artifact(NAME, files={"a": "bc"})

    assert compute_artifact_digest(first) != compute_artifact_digest(second)


@pytest.mark.parametrize(
    "path", ["../x", "/x", "a//b", "a/./b", "a/../b", "a\\b", "a\0b", "", "a/"]
)
def test_paths_that_leave_are_refused_both_ways(tmp_path: Path, path: str) -> None:
    """Such a path is neither written nor read."""
    bad = examples.make_artifact(NAME, files={path: "x"})

    assert not is_inside(path)
    with pytest.raises(ValueError, match="cannot be kept"):
        write_archive(tmp_path / "run.zip", [bad])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        f"{NAME}/1/files/../../x",
        f"{NAME}/1/other.txt",
        f"{NAME}/0/reply.txt",
        f"{NAME}/1/files/a//b",
        "reply.txt",
    ],
)
def test_members_without_a_place_are_refused(tmp_path: Path, name: str) -> None:
    """An archive from elsewhere cannot smuggle paths in."""
    path = write_zip(tmp_path / "run.zip", (name, b"x"))

    with pytest.raises(InvalidRecordError, match="has no place here"):
        Archive(path)


def test_an_archive_that_cannot_be_opened_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check of thousands of archives runs out of files otherwise."""
    path = write_zip(tmp_path / "run.zip", ("reply.txt", b"x"))
    with pytest.raises(InvalidRecordError) as refusal:  # frames keep an open file
        Archive(path)

    def fail(_: str) -> None:
        raise MemoryError

    monkeypatch.setattr(artifacts, "is_inside", fail)
    write_zip(path, (f"{NAME}/1/reply.txt", b"x"))
    with pytest.raises(MemoryError) as error:
        Archive(path)
    opened = {link.resolve() for link in Path("/proc/self/fd").iterdir()}
    assert path not in opened, (refusal, error)


def test_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Announced sizes are added up first; too many members are refused as well."""
    monkeypatch.setattr(artifacts, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(artifacts, "MOST_MEMBERS", 10)
    bomb = write_zip(tmp_path / "bomb.zip", (f"{NAME}/1/files/zeros", b"\0" * 1_000_001))
    many = write_zip(
        tmp_path / "many.zip", *((f"{NAME}/1/files/{number}", b"") for number in range(11))
    )

    with pytest.raises(InvalidRecordError, match="unpacks to more than 1000000 bytes"):
        read_attempt(bomb, NAME, 1)
    with pytest.raises(InvalidRecordError, match="more than 10 members"):
        read_attempt(many, NAME, 1)


def test_damage_and_foreign_text_are_refused(tmp_path: Path) -> None:
    """Wrong encodings and wrong JSON end in an error of the records package."""
    latin = write_zip(tmp_path / "latin.zip", (f"{NAME}/1/reply.txt", b"caf\xe9"))
    messages = write_zip(tmp_path / "messages.zip", (f"{NAME}/1/messages.json", b"[1]"))

    for path, reason in ((latin, "damaged"), (messages, NAME)):
        with pytest.raises(InvalidRecordError, match=reason):
            read_attempt(path, NAME, 1)


@pytest.mark.parametrize(
    ("sign", "distance", "reason"),
    [
        (b"PK\x01\x02", 16, "another checksum"),
        (b"PK\x03\x04", 0, "does not begin"),
        (b"PK\x03\x04", 30, "another name in its head"),
    ],
    ids=["the checksum", "the signature", "the name in the head"],
)
def test_a_member_that_contradicts_the_table_of_contents_is_refused(
    tmp_path: Path, sign: bytes, distance: int, reason: str
) -> None:
    """Another program would read another name or text from such an archive."""
    path = tmp_path / "run.zip"
    write_archive(path, [examples.make_artifact(NAME)])
    whole = bytearray(path.read_bytes())
    whole[whole.index(sign) + distance] ^= 1
    path.write_bytes(whole)
    with pytest.raises(InvalidRecordError, match=reason):
        read_attempt(path, NAME, 1)


@given(st.data())
def test_a_changed_archive_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """For any changed bytes, only errors of the records package come out."""
    path = tmp_path_factory.mktemp("archive") / "run.zip"
    write_archive(path, [examples.make_artifact(NAME)])
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])

    try:
        artifact = read_attempt(path, NAME, 1)
    except (InvalidRecordError, MissingRecordError):
        return
    assert artifact.eval == NAME


def test_an_archive_is_opened_once(tmp_path: Path) -> None:
    """A file that is removed after its first attempt was read is still open for the second."""
    first = examples.make_artifact(NAME)
    second = first.model_copy(update={"sample": 2})
    path, other = tmp_path / "run.zip", tmp_path / "other.zip"
    write_archive(path, [first, second])
    write_archive(other, [first])
    with OpenArchives() as archives:
        assert archives.read(path, NAME, 1) == first
        path.unlink()
        assert archives.read(other, NAME, 1) == first
        assert archives.read(path, NAME, 2) == second


def test_an_archive_that_is_not_there_is_missing_each_time(tmp_path: Path) -> None:
    """Its file may be there at the next attempt."""
    path, artifact = tmp_path / "run.zip", examples.make_artifact(NAME)
    with OpenArchives() as archives:
        with pytest.raises(MissingRecordError):
            archives.read(path, NAME, 1)
        write_archive(path, [artifact])
        assert archives.read(path, NAME, 1) == artifact
