// The program that packs our Node programs: it bundles each, with all its imports, into a file.
//
//   node pack.mjs FOLDER

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { build } from "esbuild";

const [folder] = process.argv.slice(2);

/** @type {import("esbuild").BuildOptions} */
const COMMON = {
  bundle: true,
  logLevel: "error",
  absWorkingDir: import.meta.dirname,
  legalComments: "none",
  minifyWhitespace: true,
};
/** @type {import("esbuild").BuildOptions} */
const PROGRAM = {
  format: "cjs",
  platform: "node",
  target: "node24",
  define: { "import.meta.dirname": "__dirname" },
};
/** jsdom reads a file beside its own code and starts a program beside it; a bundle has no such files. */
const WITHOUT_FILES_BESIDE = {
  name: "without-files-beside",
  setup(bundling) {
    bundling.onLoad({ filter: /(?:style-rules|XMLHttpRequest-impl)\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replace(
          /fs\.readFileSync\(\s*path\.resolve\(__dirname, ("[^"]+")\),\s*\{[^{}]*\}\s*\)/,
          (_, name) =>
            JSON.stringify(readFileSync(resolve(dirname(path), JSON.parse(name)), "utf8")),
        )
        .replace(/require\.resolve \? require\.resolve\("[^"]+"\) : null/, "null"),
    }));
  },
};

/**
 * The tables by which the testing library finds roles are left out, because ui/ does not use them. To make
 * them took half of the time in which these scripts start on a page.
 */
const WITHOUT_ROLES = { "aria-query": join(import.meta.dirname, "ui/no_roles.mjs") };

/** Bundles a program into a file of the folder. */
const pack = (entry, file, settings) =>
  build({ ...COMMON, ...settings, entryPoints: [entry], outfile: join(folder, file) });

await pack("server.mjs", "server.cjs", PROGRAM);
await pack("inside/main.mjs", "inside.cjs", PROGRAM);
const page = { ...PROGRAM, external: ["canvas", "esbuild"], plugins: [WITHOUT_FILES_BESIDE] };
await pack("ui/renderer.mjs", "renderer.cjs", { ...page, alias: WITHOUT_ROLES });
await pack("ui/inside/main.mjs", "window.cjs", page);
await pack("ui/inside/vendor.mjs", "vendor.js", {
  format: "iife",
  platform: "browser",
  target: "es2022",
  define: { "process.env.NODE_ENV": '"development"' },
  alias: WITHOUT_ROLES,
});
