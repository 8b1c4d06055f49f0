"""Rows of a session in the tables of the index: adding, updating of labels, removal.

A row is deleted and then inserted, instead of replaced. For a statement that may replace rows of a
table with several indexes, SQLite makes a savepoint, and at each savepoint FTS5 writes its pending
data. With such statements, making an index took more than twice as long.
"""

import hashlib
import sqlite3
from collections.abc import Set as AbstractSet
from dataclasses import replace

from records.sessions.session import Session
from review.index.indexed_session import COLUMNS, IndexedSession, make_alias, make_index_row
from review.index.sql_tables import replace_nuls
from review.labeled_session import LabeledSession

_PLACES = ", ".join("?" * len(COLUMNS))


def take_in(tables: sqlite3.Connection, labeled: LabeledSession, record: Session) -> None:
    """Add a session to the index, or replace its earlier version.

    Args:
        tables: the index.
        labeled: the session with its labels.
        record: the record of the session, without the labels of its log.
    """
    number = _write_row(tables, make_index_row(labeled))
    head = record.model_copy(update={"messages": ()})
    tables.execute("DELETE FROM head WHERE number = ?", (number,))
    tables.execute(
        "INSERT INTO head VALUES (?, ?, ?, ?)",
        (number, make_alias(record.id), labeled.transcript, head.model_dump_json()),
    )
    texts = {labeled.session.title, *(message.text for message in labeled.session.messages)}
    _write_texts(tables, number, {text.casefold() for text in texts if text})


def find_head(tables: sqlite3.Connection, session_id: str) -> tuple[Session, str] | None:
    """Return the record of a session without messages, and the digest of its transcript.

    Return None if the session is not in the index.
    """
    row = tables.execute(
        "SELECT letters, transcript FROM head JOIN session USING (number) WHERE id = ?",
        (session_id,),
    ).fetchone()
    return None if row is None else (Session.model_validate_json(row[0]), str(row[1]))


def label_anew(tables: sqlite3.Connection, labeled: LabeledSession) -> None:
    """Update the labels of a session in the index; its messages are not read."""
    row = make_index_row(labeled)
    (answer,) = tables.execute("SELECT answer FROM session WHERE id = ?", (row.id,)).fetchone()
    _write_row(tables, replace(row, answer=str(answer)))


def take_out(tables: sqlite3.Connection, session_id: str) -> None:
    """Remove a session from the index, and the texts that no other session has."""
    number = _find_number(tables, session_id)
    if number is None:
        return
    _write_texts(tables, number, set())
    for table in ("tag", "judge", "head", "session"):
        tables.execute(f"DELETE FROM {table} WHERE number = ?", (number,))  # noqa: S608 - of constants


def _find_number(tables: sqlite3.Connection, session_id: str) -> int | None:
    row = tables.execute("SELECT number FROM session WHERE id = ?", (session_id,)).fetchone()
    return None if row is None else int(row[0])


def _write_row(tables: sqlite3.Connection, row: IndexedSession) -> int:
    """Write the row, the tags and the judges of a session; return the session's number."""
    number = _find_number(tables, row.id)
    tables.execute("DELETE FROM session WHERE number = ?", (number,))
    row_id = tables.execute(
        f"INSERT INTO session (number, {', '.join(COLUMNS)}) VALUES (?, {_PLACES})",  # noqa: S608 - of constants
        (number, *row.to_values()),
    ).lastrowid
    tables.execute("DELETE FROM tag WHERE number = ?", (row_id,))
    tables.executemany("INSERT INTO tag VALUES (?, ?)", [(row_id, tag) for tag in {*row.tags}])
    tables.execute("DELETE FROM judge WHERE number = ?", (row_id,))
    tables.executemany("INSERT INTO judge VALUES (?, ?)", [(row_id, name) for name in row.judges])
    return int(row_id or 0)


def _write_texts(tables: sqlite3.Connection, number: int, texts: AbstractSet[str]) -> None:
    """Set the texts of a session. Only texts that are new or gone are written."""
    numbers = {_find_or_add_text(tables, text) for text in texts}
    before = {
        int(row[0]) for row in tables.execute("SELECT text FROM said WHERE session = ?", (number,))
    }
    tables.executemany(
        "INSERT INTO said VALUES (?, ?)", [(text, number) for text in numbers - before]
    )
    for text in before - numbers:
        tables.execute("DELETE FROM said WHERE text = ? AND session = ?", (text, number))
        if tables.execute("SELECT 1 FROM said WHERE text = ?", (text,)).fetchone() is None:
            _drop_text(tables, text)


def _find_or_add_text(tables: sqlite3.Connection, text: str) -> int:
    """Return the number of a text, which is added if it is not in the index."""
    letters = text.encode("utf-8", "replace")
    digest = hashlib.blake2b(letters, digest_size=16).digest()
    row = tables.execute("SELECT number FROM text WHERE digest = ?", (digest,)).fetchone()
    if row is not None:
        return int(row[0])
    added = tables.execute("INSERT INTO text (digest, letters) VALUES (?, ?)", (digest, letters))
    number = int(added.lastrowid or 0)
    tables.execute(
        "INSERT INTO triple (rowid, letters) VALUES (?, ?)", (number, replace_nuls(text))
    )
    return number


def _drop_text(tables: sqlite3.Connection, number: int) -> None:
    (letters,) = tables.execute("SELECT letters FROM text WHERE number = ?", (number,)).fetchone()
    tables.execute(
        "INSERT INTO triple (triple, rowid, letters) VALUES ('delete', ?, ?)",
        (number, replace_nuls(letters.decode())),
    )
    tables.execute("DELETE FROM text WHERE number = ?", (number,))
