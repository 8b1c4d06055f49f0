"""The backend's end of the connection to the process of the code, beside a process of the test."""

import subprocess
from pathlib import Path

import pytest

from runner.emulator import embedded
from runner.toolchain import find_node

pytestmark = pytest.mark.integration

EMULATOR = Path(embedded.__file__).parent

BEGIN = """
import { connect } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Isolate } from "ISOLATE";

const path = process.argv[1];
const answered = [];
const answer = async (op) => answered.push(op) && "null";
const gone = (why) => { console.log("gone", why); process.exit(1); };
const open = Isolate.at(path, { answer, taken() {}, arm() {}, gone });
function begin(hear) {
  const socket = connect(path);
  const send = (message) => socket.write(JSON.stringify(message) + "\\n");
  socket.on("data", (data) => {
    const lines = data.toString().split("\\n").filter(Boolean);
    for (const line of lines) hear(JSON.parse(line), send, socket);
  });
  return socket;
}
"""


def run_beside_backend(script: str, tmp_path: Path) -> str:
    """Run a script after BEGIN; return its output."""
    isolate = EMULATOR / "functions" / "isolate.mjs"
    ended = subprocess.run(
        [
            find_node(),
            "--input-type=module",
            "-e",
            BEGIN.replace("ISOLATE", isolate.as_uri()) + script,
            tmp_path / "code.sock",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


SWAPPED = """
function hear({ id, act }, send, socket) {
  if (act !== "renew") send({ did: id, ok: null });
  else once(begin(hear), "connect").then(() => sleep(50)).then(() => socket.destroy());
}
begin(hear);
const isolate = await open;
await isolate.start("/project", { isolate: { code: "" }, node: null });
await isolate.renew();
await isolate.renew();
console.log("renewed");
process.exit(0);
"""


def test_a_process_that_begins_anew_may_be_heard_before_the_old_one_ends(tmp_path: Path) -> None:
    """On a busy machine the backend may see both at once: the new process is not refused."""
    assert run_beside_backend(SWAPPED, tmp_path) == "renewed\n"


CROSSED = """
const LAST = 4;
const ends = [];
function hear({ id, act, answer, turn }, send) {
  const ask = (number) => send({ ask: number, exec: 7, op: `insert ${number}`, args: "{}" });
  if (act === "call") ask(1);
  if (act === "call" || turn) ends.push(id);
  if (!answer && answered.length < LAST) return;
  // These ends and the answer cross on their way: only then the code goes on.
  for (const did of ends.splice(0)) send({ did, ok: "null", heard: 0 });
  if (answer < LAST) void sleep(20).then(() => ask(answer + 1));
}
begin(hear);
const isolate = await open;
const execution = { id: 7, isTransaction: true, requestId: "request", now: 0 };
const mutation = { module: "rows", name: "write", kind: "mutation", node: false };
const limits = { computingMs: 2000 };
await isolate.call(execution, mutation, "[]", { limits, env: undefined, snapshot: 0n });
console.log(answered.join(", "));
process.exit(0);
"""


def test_an_answer_may_cross_the_end_of_its_mutation(tmp_path: Path) -> None:
    """A mutation that ended before the last answer arrived may still ask for more."""
    answered = run_beside_backend(CROSSED, tmp_path)
    assert answered == "insert 1, insert 2, insert 3, insert 4\n"
