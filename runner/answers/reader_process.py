"""Reads replies apart: ``python -m runner.answers.reader_process SECONDS [RULES]``.

RULES are a suite's own rules for files, as JSON, or "typescript"; without them the rules for Convex
hold.

Each request on stdin is the length of a reply, eight bytes, and the reply; each answer on stdout is
likewise a length and JSON. A reply that takes more than SECONDS of processor time ends the process,
by the kernel's SIGPROF: no code of Python or of its regular expressions has to look at a clock.
"""

import json
import resource
import signal
import sys
from typing import IO, Final

from records.suites.suite_config import AnswerFiles
from runner.answers.reply import parse_reply
from runner.answers.rules import CONVEX_RULES, TYPESCRIPT_RULES, FileRules, SuiteFileRules
from runner.errors import UnusableReplyError

ENCODING: Final = ("utf-8", "surrogatepass")
"""A reply may hold halves of characters."""
TYPESCRIPT: Final = "typescript"
"""The argument for the rules of suites in TypeScript."""
LENGTH: Final = 8
_MEMORY: Final = 2_000_000_000


def main() -> None:
    """Serve until the other end closes its pipe."""
    limit_s = float(sys.argv[1])
    rules: FileRules = CONVEX_RULES
    for argument in sys.argv[2:]:
        if argument == TYPESCRIPT:
            rules = TYPESCRIPT_RULES
        else:
            rules = SuiteFileRules(AnswerFiles.model_validate_json(argument))
    # Ctrl-C is for the grading service, which finishes the attempts under way.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    while (reply := receive(sys.stdin.buffer)) is not None:
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        answer: dict[str, object]
        try:
            read = parse_reply(reply.decode(*ENCODING), rules)
            answer = {"files": read.files, "notes": read.notes}
        except UnusableReplyError as error:
            answer = {"kind": error.kind, "reason": str(error)}
        except MemoryError:
            reason = "the reply takes more memory to read than a reply may"
            answer = {"kind": "too_large", "reason": reason}
        encoded = json.dumps(answer).encode()
        signal.setitimer(signal.ITIMER_PROF, 0)
        send(sys.stdout.buffer, encoded)


def receive(stream: IO[bytes]) -> bytes | None:
    """Return the next message of the other end; None after the last."""
    head = stream.read(LENGTH)
    size = int.from_bytes(head, "big")
    body = stream.read(size)
    return body if len(head) == LENGTH and len(body) == size else None


def send(stream: IO[bytes], body: bytes) -> None:
    """Send a message to the other end."""
    stream.write(len(body).to_bytes(LENGTH, "big") + body)
    stream.flush()


if __name__ == "__main__":
    main()
