// Runs the tests of one package over the emulator: `convex-test` is the adapter beside this file.

import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));

export default {
  root: process.env.PACKAGE,
  cacheDir: `${HERE}cache`,
  resolve: { alias: [{ find: /^convex-test$/, replacement: `${HERE}convex_test.mjs` }] },
  server: { fs: { strict: false } },
  test: {
    include: ["**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**"],
    environment: "node",
    pool: "forks",
    maxWorkers: 1,
    // Nothing of a package is run before vitest has read it: its globs are vitest's.
    server: { deps: { inline: [/@convex-dev/, /convex-helpers/, /component_suites/] } },
  },
};
