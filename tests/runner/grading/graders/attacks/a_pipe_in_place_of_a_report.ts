import { execFileSync } from "node:child_process";
execFileSync("mkfifo", ["/tmp/report"]);
