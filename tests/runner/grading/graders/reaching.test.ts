import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { expect, test } from "vitest";

const reach = (port: number) =>
  fetch(`http://localhost:${port}`).then((answer) => answer.text(), () => "refused");
const bytesFrom = (path: string) => new Promise((done) => {
  let bytes = 0;
  connect(path)
    .on("data", (chunk) => { bytes += chunk.length; })
    .on("error", () => {})
    .on("close", () => done(bytes))
    .end("GET / HTTP/1.1\r\n\r\n");
});

test("reaches its own deployment alone", async () => {
  expect(await Promise.all([3210, 3211, 3212, 3213].map(reach))).toEqual(EXPECTED);
  expect(readdirSync("/sockets").sort()).toEqual(SOCKETS);
  expect(await bytesFrom("/sockets/vitest.sock")).toBe(0);
});
