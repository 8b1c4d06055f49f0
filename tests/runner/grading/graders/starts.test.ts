import * as programs from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const cwd = process.env.MODEL_OUTPUT_DIR!;
const shell = "test ! -e /sockets && test ! -e /suite/evals && echo apart";
const words = ["-c", shell];
const readOutput = (child: programs.ChildProcess) =>
  new Promise<string>((done) => {
    let text = "";
    child.stdout!.on("data", (chunk) => (text += chunk)).on("close", () => done(text));
  });

test.each(Object.entries({
  exec: async () => (await promisify(programs.exec)(shell)).stdout,
  execFile: async () => (await promisify(programs.execFile)("sh", words)).stdout,
  execFileSync: () => programs.execFileSync("sh", words, { cwd }),
  execSync: () => programs.execSync(shell, { cwd }),
  spawn: () => readOutput(programs.spawn("sh", words)),
  spawnSync: () => programs.spawnSync(shell, { shell: true }).stdout,
}))("%s", async (_, start) => expect(String(await start())).toBe("apart\n"));

test("passes input, variables, output, errors and statuses", async () => {
  const code = "cat; echo $WORD >&2; exit 7";
  const env = { ...process.env, WORD: "a=b" };
  const ended = programs.spawnSync("sh", ["-c", code], { input: "given", env, encoding: "utf8" });
  expect([ended.status, ended.stdout, ended.stderr]).toEqual([7, "given", "a=b\n"]);
  const child = programs.spawn("cat");
  child.stdin.end("later");
  expect(await readOutput(child)).toBe("later");
});
