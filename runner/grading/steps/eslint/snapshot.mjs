// The program that writes a snapshot of the ESLint worker's memory, from which Node starts workers:
//
//   node OPTIONS snapshot.mjs FOLDER PACKAGES
//
// To load ESLint, TypeScript and the declarations of packages takes seconds of processor time; from a
// snapshot it takes hundredths of that. Node starts from a snapshot only with the same OPTIONS.

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
  // A loader of settings in TypeScript, which is not used.
  external: ["jiti", "jiti/package.json"],
  // A program in a snapshot has no variables `module` and `exports`.
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
