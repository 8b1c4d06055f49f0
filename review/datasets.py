"""Versions of datasets: made from selected sessions, and read with the labels of the version."""

from collections.abc import Iterable, Iterator
from copy import copy
from datetime import UTC, datetime
from typing import NamedTuple, cast

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder, decode_slug
from records.reader import read_record
from records.sessions import dataset
from records.sessions.labels import LabelName
from records.sessions.session import LABELS, Session
from records.writer import write_record
from review.errors import DatasetError
from review.labeled_session import LabeledSession
from review.selection import SessionSelection
from review.store import SessionStore
from review.turns import OwnLabels

_OF_A_TURN: tuple[LabelName, ...] = ("evalStatus", "evalNotes", "expectedOutput")


class VersionedSession(NamedTuple):
    """A session with the labels in a version of a dataset."""

    session: Session
    turns: OwnLabels


def make_version(
    folder: DataFolder, name: str, sessions: Iterable[LabeledSession]
) -> dataset.DatasetVersion:
    """Write a version of a dataset and return it.

    Raises:
        DatasetError: the name is taken, or there is no session.
    """
    members = [
        dataset.DatasetMember(
            session=labelled.session.id,
            seen=labelled.transcript,
            **{label: getattr(labelled.session, label) for label in LABELS},
            turns=tuple(
                dataset.MemberTurn.model_validate(
                    {"turn": number}
                    | {label: labels[label] for label in _OF_A_TURN if label in labels}
                )
                for number, labels in sorted(labelled.turns.items())
            ),
        )
        for labelled in sessions
    ]
    members.sort(key=lambda member: member.session)
    if not members:
        raise DatasetError("a version needs a session, and none is selected")
    version = dataset.DatasetVersion(
        schema_version=1,
        name=name,
        created_at=datetime.now(UTC),
        digest=dataset.compute_members_digest(members),
        members=tuple(members),
    )
    try:
        write_record(folder.local.datasets, version, replaces=False)
    except FileExistsError as error:
        raise DatasetError(f"{name} exists, and a version is never changed") from error
    return version


def read_dataset_version(folder: DataFolder, name: str) -> dataset.DatasetVersion:
    """Return the version with this name.

    Raises:
        DatasetError: there is no such version.
        InvalidRecordError: the version cannot be read, or was changed.
    """
    try:
        return read_record(dataset.DatasetVersion, folder.local.datasets.get_file(name))
    except (MissingRecordError, ValueError) as error:
        stems = (path.stem for path in folder.local.datasets.list_files())
        names = ", ".join(map(decode_slug, stems)) or "there is none"
        raise DatasetError(f"there is no version {name!r}; versions: {names}") from error


def read_members(
    store: SessionStore, version: dataset.DatasetVersion, selection: SessionSelection
) -> Iterator[VersionedSession | InvalidRecordError]:
    """Yield the members of ``version`` that ``selection`` takes by the labels in the version.

    For a member that was deleted, changed or damaged, its problem is yielded.
    """
    for member in version.members:
        if member.session in selection.without:
            continue
        if selection.ids and member.session not in selection.ids:
            continue
        path = store.folder.get_session_file(member.session)
        try:
            labelled = store.read(member.session)
        except MissingRecordError:
            yield InvalidRecordError(path, "", f"was deleted since {version.name} was made")
            continue
        except InvalidRecordError as error:
            yield copy(error)  # without the frames that hold its bytes
            continue
        if labelled.transcript != member.seen:
            yield InvalidRecordError(
                path, "", f"the transcript changed since {version.name} was made"
            )
            continue
        labels = {name: getattr(member, name) for name in LABELS}
        session = labelled.session.model_copy(update=labels)
        if selection.takes(session):
            turns = {
                turn.turn: turn.model_dump(mode="json", exclude={"turn"}, exclude_none=True)
                for turn in member.turns
            }
            yield VersionedSession(session, cast("OwnLabels", turns))
