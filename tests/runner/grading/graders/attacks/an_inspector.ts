import { readdirSync } from "node:fs";
const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
const others = pids.filter((pid) => pid !== `${process.pid}`);

for (const pid of others) try { process.kill(Number(pid), "SIGUSR1"); } catch {}
await new Promise((done) => setTimeout(done, 300));
const [{ webSocketDebuggerUrl }] = await (await fetch("http://127.0.0.1:9229/json")).json();
const socket = new WebSocket(webSocketDebuggerUrl);
await new Promise((done) => { socket.onopen = done; });
const params = { expression: "process.exit()" };
socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params }));
