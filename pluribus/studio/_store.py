"""The log of a session on disk: an event is there before it is acknowledged."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

_SCHEMA = """
create table if not exists about (name text primary key, value text not null);
create table if not exists events (seq integer primary key, type text not null, args text not null);
"""


class StoreError(ValueError):
    """A log that cannot be read, or that belongs to another job."""


class Store:
    """An append-only log in an SQLite file (write-ahead log, each event one transaction)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        try:
            self._connection.execute("pragma journal_mode=wal")
            self._connection.execute("pragma synchronous=full")
            self._connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path} is no log of a session ({error}): remove it, or give another --out.") from error

    def about(self, **what: Any) -> None:
        """Note what the log is about, or refuse if it is about something else."""
        for name, value in what.items():
            text = json.dumps(value)
            known = self._connection.execute("select value from about where name = ?", (name,)).fetchone()
            if known is None:
                self._connection.execute("insert into about values (?, ?)", (name, text))
            elif known[0] != text:
                article = "" if name in ("data", "options") else "a "
                raise StoreError(
                    f"{self.path} keeps a session with {article}different {name}: give another --out, or open it with "
                    "the data and options that it was made with."
                )

    def append(self, event: dict[str, Any]) -> None:
        """Keep an event; when this returns, it is on disk."""
        self.extend([event])

    def extend(self, events: Iterable[dict[str, Any]]) -> None:
        """Keep some events, all of them or none."""
        rows = [(event["seq"], event["type"], json.dumps(event["args"])) for event in events]
        self._connection.execute("begin")
        try:
            self._connection.executemany("insert into events values (?, ?, ?)", rows)
            self._connection.execute("commit")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("rollback")
            raise

    def events(self) -> Iterator[dict[str, Any]]:
        """All events, in order."""
        for seq, kind, args in self._connection.execute("select seq, type, args from events order by seq"):
            try:
                yield {"seq": seq, "type": kind, "args": json.loads(args)}
            except ValueError as error:
                raise StoreError(f"Event {seq} in {self.path} is damaged: give another --out.") from error

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
