// note: the process above is ended
// into: *.test.ts
import process from "node:process";
process.kill(process.ppid, "SIGKILL");
