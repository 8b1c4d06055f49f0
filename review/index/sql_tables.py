"""Tables of the index, and selections in SQL.

Each different text is stored once, because many sessions have the same prompts. Texts are stored
casefolded, as `SessionSelection` compares them. FTS5's trigram tokenizer makes a token of each
three letters, so that it finds any part of a text that has at least three letters. A shorter search
goes through all texts.
"""

import json
import sqlite3
from typing import Final

from review.index.indexed_session import COLUMNS
from review.selection import SessionSelection

VERSION: Final = 4
"""The version of the tables; an index of another version is made again."""
_SCHEMA: Final = f"""
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
_TRIPLE: Final = 3


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
    ):
        if value is not None:
            parts.append(condition)
            parameters.append(value)
    for tag in sorted(selection.tags):
        parts.append("number IN (SELECT number FROM tag WHERE tag = ?)")
        parameters.append(tag)
    if selection.judged_by is not None:
        parts.append("number IN (SELECT number FROM judge WHERE name = ?)")
        parameters.append(selection.judged_by)
    if selection.text is not None:
        condition, values = _make_text_condition(selection.text.casefold())
        parts.append(condition)
        parameters += values
    return " AND ".join(parts), parameters


def replace_nuls(text: str) -> str:
    """Return a text without NUL characters, at which FTS5 would stop reading."""
    return text.replace("\0", "\ufffd")


def _encode_values(values: frozenset[str]) -> str | None:
    return json.dumps(sorted(values)) if values else None


def _make_text_condition(text: str) -> tuple[str, list[object]]:
    if len(text) < _TRIPLE:
        texts = "SELECT number FROM text WHERE instr(letters, ?)"
        parameter: object = text.encode("utf-8", "replace")
    else:
        texts = "SELECT rowid FROM triple WHERE triple MATCH ?"
        parameter = '"' + replace_nuls(text).replace('"', '""') + '"'
    return f"number IN (SELECT session FROM said WHERE text IN ({texts}))", [parameter]  # noqa: S608 - of constants
