"""The reader of audits, and of the label logs of the drawn sessions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.sources import Stamp
from records.reader import read_audit, read_labels
from records.sessions.audit import Audit
from records.sessions.labels import LabelEvent


@dataclass(frozen=True, slots=True)
class AuditedLabels:
    """An audit with the label logs of its sessions."""

    audit: Audit
    logs: Mapping[str, Sequence[LabelEvent]]
    """The changes of labels, by session."""


def read_audits(
    paths: Mapping[str, Stamp], label_file: Callable[[str], Path]
) -> list[AuditedLabels]:
    """Return the audits at ``paths``, newest first.

    ``get_label_file`` returns the path of a session's label log.

    Raises:
        RecordsError: an audit or a label log is invalid.
    """
    audits = [read_audit(Path(path)) for path in paths]
    return [
        AuditedLabels(
            audit,
            {item.session: read_labels(label_file(item.session)) for item in audit.items},
        )
        for audit in sorted(audits, key=lambda item: (item.drawn_at, item.audit_id), reverse=True)
    ]
