"""Changes of many sessions: threads of this process that make them, and changes on the disk."""

import threading

from review.bulk_changes import BulkChange, BulkChanges
from review.errors import BulkInUseError
from review.index.session_index import SessionIndex
from review.label_service import LabelService
from review.selection import SessionSelection
from review.store import SessionStore


class BulkWork:
    """The threads of this process that make changes, and the changes on the disk."""

    def __init__(self, store: SessionStore) -> None:
        self._folder = store.folder
        self.changes = BulkChanges(store.folder)
        self._lock = threading.Lock()
        self._live: dict[str, tuple[threading.Thread, BulkChange]] = {}
        self._finished: str | None = None
        """The key of the newest change, if it was seen to have ended."""

    def start(self, change: BulkChange) -> threading.Thread:
        """Start a thread that continues a change; return the thread."""
        with self._lock:
            thread = threading.Thread(target=self._run_change, args=(change,), daemon=True)
            self._live[change.key] = thread, change
            thread.start()
            return thread

    def find(self, key: str) -> BulkChange | None:
        """Return the change with this key, with its progress; None if there is none."""
        with self._lock:
            thread, change = self._live.get(key, (None, None))
        return change if thread is not None and thread.is_alive() else self.changes.find(key)

    def is_running(self, change: BulkChange) -> bool:
        """Return whether this or another process is continuing a change."""
        with self._lock:
            thread, _ = self._live.get(change.key, (None, None))
        return (thread is not None and thread.is_alive()) or change.is_running()

    def find_interrupted(self) -> str | None:
        """Return the key of the newest change if it was interrupted; else None."""
        key = self.changes.find_latest()
        if key is None or key == self._finished:
            return None
        change = self.find(key)
        if change is None or not change.remaining:
            self._finished = key
            return None
        return None if self.is_running(change) else key

    def _run_change(self, change: BulkChange) -> None:
        try:
            store = SessionStore(self._folder, durable=False)
            LabelService(store, "desk")  # checks each label
            change.go_on(store)
        except BulkInUseError:
            return  # another process is continuing the change
            # With this query the index has the labels before a page shows that the change ended.
        SessionIndex(SessionStore(self._folder)).list_ids(SessionSelection(limit=1))
