// note: another server stands where the backend listens
// into: new:convex/prelude.ts
"use node";
import fs from "node:fs";
import http from "node:http";
for (const folder of ["/scratch", "/link", "/tmp"]) {
  try {
    fs.rmSync(`${folder}/backend.sock`, { force: true });
    http.createServer((_asked, answer) => answer.end('{"status":"success","value":null}')).on("error", () => null).listen(`${folder}/backend.sock`);
  } catch {
    // It cannot be put there.
  }
}
export const nothing = 1;
