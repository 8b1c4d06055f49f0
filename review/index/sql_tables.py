"""Tables of the index, and selections in SQL.

Each different text is stored once, because many sessions have the same prompts. Texts are stored
casefolded, as `SessionSelection` compares them. FTS5's trigram tokenizer makes a token of each
three letters, so that it finds any part of a text that has at least three letters. A shorter search
goes through all texts.
"""

import hashlib
import json
import sqlite3
from collections.abc import Set as AbstractSet
from dataclasses import replace

from records.sessions.session import Session
from review.index.indexed_session import COLUMNS, IndexedSession, make_alias, make_index_row
from review.labeled_session import LabeledSession
from review.selection import SessionSelection

VERSION = 5
"""The version of the tables; an index of another version is made again."""
_SCHEMA = f"""
CREATE TABLE fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE stamp (id TEXT PRIMARY KEY, record TEXT NOT NULL, log TEXT NOT NULL, problem TEXT)
WITHOUT ROWID;
CREATE TABLE session (number INTEGER PRIMARY KEY, {", ".join(COLUMNS)}, UNIQUE (id));
CREATE INDEX session_by_date ON session (created, id);
CREATE TABLE head (
  number INTEGER PRIMARY KEY, alias TEXT NOT NULL, transcript TEXT NOT NULL, letters TEXT NOT NULL
);
CREATE INDEX head_by_alias ON head (alias);
CREATE TABLE tag (number INTEGER, tag TEXT, PRIMARY KEY (number, tag)) WITHOUT ROWID;
CREATE INDEX tag_by_name ON tag (tag);
CREATE TABLE judge (number INTEGER, name TEXT, PRIMARY KEY (name, number)) WITHOUT ROWID;
CREATE INDEX judge_by_session ON judge (number);
CREATE TABLE text (number INTEGER PRIMARY KEY, digest BLOB UNIQUE, letters BLOB NOT NULL);
CREATE TABLE said (text INTEGER, session INTEGER, PRIMARY KEY (text, session)) WITHOUT ROWID;
CREATE INDEX said_by_session ON said (session);
CREATE VIRTUAL TABLE triple USING fts5(
  letters, content='', tokenize='trigram case_sensitive 1'
);
"""
_TRIPLE = 3
_TAGGED = "number IN (SELECT number FROM tag WHERE tag = ?)"


def make_tables(tables: sqlite3.Connection) -> None:
    """Make the tables if the file has none.

    Raises:
        sqlite3.DatabaseError: the file is an index of another version.
    """
    (version,) = tables.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return
    if version:
        raise sqlite3.DatabaseError("of another version")
    for statement in _SCHEMA.split(";\n"):
        tables.execute(statement)
    tables.execute(f"PRAGMA user_version = {VERSION}")


def make_condition(selection: SessionSelection) -> tuple[str, list[object]]:
    """Return a selection as a condition in SQL with its parameters, without the limit."""
    parts: list[str] = ["1"]
    parameters: list[object] = []
    for condition, value in (
        ("id IN (SELECT value FROM json_each(?))", _encode_values(selection.ids)),
        ("id NOT IN (SELECT value FROM json_each(?))", _encode_values(selection.without)),
        ("status IN (SELECT value FROM json_each(?))", _encode_values(selection.statuses)),
        ("model = ?", selection.model),
        ("source = ?", selection.source),
        ("ready = ?", selection.ready),
        ("substr(created, 1, 10) >= ?", selection.since and selection.since.isoformat()),
        ("substr(created, 1, 10) <= ?", selection.until and selection.until.isoformat()),
        *((_TAGGED, tag) for tag in sorted(selection.tags)),
        ("number IN (SELECT number FROM judge WHERE name = ?)", selection.judged_by),
    ):
        if value is not None:
            parts.append(condition)
            parameters.append(value)
    if selection.run_shown:
        parts.append("NOT run_hidden")
    if selection.text is not None:
        text = selection.text.casefold()
        if len(text) < _TRIPLE:
            texts = "SELECT number FROM text WHERE instr(letters, ?)"
            parameter: object = text.encode("utf-8", "replace")
        else:
            texts = "SELECT rowid FROM triple WHERE triple MATCH ?"
            parameter = '"' + replace_nuls(text).replace('"', '""') + '"'
        parts.append(f"number IN (SELECT session FROM said WHERE text IN ({texts}))")  # noqa: S608 - of constants
        parameters.append(parameter)
    return " AND ".join(parts), parameters


def replace_nuls(text: str) -> str:
    """Return a text without NUL characters, at which FTS5 would stop reading."""
    return text.replace("\0", "\ufffd")


def _encode_values(values: frozenset[str]) -> str | None:
    return json.dumps(sorted(values)) if values else None


_PLACES = ", ".join("?" * len(COLUMNS))


def take_in(tables: sqlite3.Connection, labeled: LabeledSession, record: Session | None) -> None:
    """Add a session to the index, or replace its earlier version.

    Args:
        tables: the index.
        labeled: the session with its labels.
        record: the record of the session, without the labels of its log; None if it is the same
            as in the index, so that only labels are updated, and messages are not needed.
    """
    row = make_index_row(labeled)
    if record is None:
        (answer,) = tables.execute("SELECT answer FROM session WHERE id = ?", (row.id,)).fetchone()
        _write_row(tables, replace(row, answer=str(answer)))
        return
    number = _write_row(tables, row)
    head = record.model_copy(update={"messages": ()})
    tables.execute(
        "INSERT OR REPLACE INTO head VALUES (?, ?, ?, ?)",
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
    row_id = tables.execute(
        f"INSERT OR REPLACE INTO session (number, {', '.join(COLUMNS)}) VALUES (?, {_PLACES})",  # noqa: S608 - of constants
        (_find_number(tables, row.id), *row.to_values()),
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
            (letters,) = tables.execute(
                "SELECT letters FROM text WHERE number = ?", (text,)
            ).fetchone()
            tables.execute(
                "INSERT INTO triple (triple, rowid, letters) VALUES ('delete', ?, ?)",
                (text, replace_nuls(letters.decode())),
            )
            tables.execute("DELETE FROM text WHERE number = ?", (text,))


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
