import { symlinkSync } from "node:fs";
symlinkSync("/suite/evals/000-kit/001-static_notes/right.txt", "/tmp/report");
