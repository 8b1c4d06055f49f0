"""Reads replies apart: ``python -m runner.answers.reader_process DESCRIPTOR``.

The descriptor is one end of a pipe of `multiprocessing`. Its first message is the limit of a reply
in seconds; each further message is a reply with the rules for its files, and each answer, as JSON,
has the files in it, or the kind and reason of its refusal. A reply that takes more processor time
than the limit ends the process, by the kernel's SIGPROF: no code of Python or of its regular
expressions has to look at a clock.
"""

import json
import resource
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection

from runner.answers.reply import parse_reply
from runner.errors import UnusableReplyError

Refusal = tuple[str, str]
"""The kind and the reason of an UnusableReplyError."""
_MEMORY = 2_000_000_000


def main() -> None:
    """Serve until the other end closes its pipe."""
    pipe = Connection(int(sys.argv[1]))
    limit_s = pipe.recv()
    # Ctrl-C is for the grading service, which finishes the attempts under way.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    with suppress(EOFError):
        while True:
            reply, rules = pipe.recv()
            signal.setitimer(signal.ITIMER_PROF, limit_s)
            answer: object
            try:
                read = parse_reply(reply, rules)
                answer = {"files": read.files, "notes": read.notes}
            except UnusableReplyError as error:
                answer = error.kind, str(error)
            except MemoryError:
                answer = "too_large", "the reply takes more memory to read than a reply may"
            pipe.send_bytes(json.dumps(answer).encode())
            signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main()
