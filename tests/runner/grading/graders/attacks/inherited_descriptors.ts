import { writeSync } from "node:fs";
for (let fd = 3; fd < 64; fd++) try { writeSync(fd, "the right word"); } catch {}
