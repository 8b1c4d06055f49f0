import { readdirSync } from "node:fs";
const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
const others = pids.filter((pid) => pid !== `${process.pid}`);

for (const pid of [...others, 1, -1]) try { process.kill(Number(pid), "SIGTERM"); } catch {}
