// Writes a snapshot of the memory of the ESLint worker, from which Node starts workers.
//
//   node OPTIONS snapshot.mjs FOLDER PACKAGES
//
// ESLint, TypeScript and the declarations of packages take seconds of processor time to load, and
// hundredths of that from a snapshot. Node starts from it with the same OPTIONS only.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

const [folder = "", packages = ""] = process.argv.slice(2);
const program = join(folder, "lint_worker.cjs");

await build({
  bundle: true,
  logLevel: "error",
  absWorkingDir: import.meta.dirname,
  legalComments: "none",
  entryPoints: ["lint_worker.mjs"],
  outfile: program,
  format: "cjs",
  platform: "node",
  target: "node24",
  // A loader of settings in TypeScript, which nothing asks for.
  external: ["jiti", "jiti/package.json"],
  // A program in a snapshot has no module of its own.
  banner: { js: "const module = { exports: {} }, exports = module.exports;" },
});
execFileSync(
  process.execPath,
  [
    ...process.execArgv,
    ...["--no-warnings", "--snapshot-blob", join(folder, "lint_worker.blob")],
    ...["--build-snapshot", program, packages],
  ],
  { stdio: "inherit" },
);
rmSync(program);
