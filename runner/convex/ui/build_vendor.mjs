// Bundles vendor.mjs, once per toolchain: node build_vendor.mjs PACKAGES OUTPUT

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const [packages, outfile] = process.argv.slice(2);
await build({
  entryPoints: [fileURLToPath(new URL("vendor.mjs", import.meta.url))],
  outfile,
  bundle: true,
  format: "iife",
  platform: "browser",
  target: "es2022",
  nodePaths: [packages],
  define: { "process.env.NODE_ENV": '"development"' },
  logLevel: "error",
});
