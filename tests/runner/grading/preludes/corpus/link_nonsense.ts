// note: messages are sent to the backend that mean nothing
// into: convex/*.ts
for (const handle of Function("return process")()._getActiveHandles()) {
  for (const said of [{ ask: 1 }, { log: 1 }, { timer: 1, exec: 1 }, { part: 9 }]) handle.write?.(`${JSON.stringify(said)}\n`);
}
