// A model's component and what it imports, as one script for the page's window.

import { build } from "esbuild";

const SHARED =
  /^(react|react-dom|react-dom\/client|react\/jsx-runtime|react\/jsx-dev-runtime|convex\/(browser|react|server|values))$/;
const GENERATED_API = /(^|\/)_generated\/api(\.js)?$/;

/** The component could not be bundled: a file is missing, or is not the language it says it is. */
export class BundleError extends Error {}

/**
 * Bundles a component; run in the page's window, the script leaves its module in `__component`.
 *
 * @param {{ project: string, packages: string, component: string, address: string }} options
 *   `address` is what `import.meta.env.VITE_CONVEX_URL` says.
 * @returns {Promise<string>} Rejects with a BundleError that names file and reason.
 */
export async function bundle({ project, packages, component, address }) {
  const env = { MODE: "test", DEV: false, PROD: true, VITE_CONVEX_URL: address };
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: `export * from ${JSON.stringify(`./${component}`)};
                   export { default } from ${JSON.stringify(`./${component}`)};`,
        resolveDir: project,
        sourcefile: "page.js",
      },
      bundle: true,
      write: false,
      format: "iife",
      globalName: "__component",
      platform: "browser",
      target: "es2022",
      jsx: "automatic",
      absWorkingDir: project,
      nodePaths: [packages],
      tsconfigRaw: "{}",
      define: { "import.meta.env": JSON.stringify(env), "process.env.NODE_ENV": '"development"' },
      loader: { ".css": "empty", ".svg": "dataurl", ".png": "dataurl", ".jpg": "dataurl" },
      plugins: [sharedModules],
      // A component without a default export is told of when it is asked for by that name.
      logOverride: { "import-is-undefined": "silent" },
      logLevel: "silent",
    });
    return outputFiles[0].text;
  } catch (error) {
    // The bundler is gone, by no fault of the component: so is this process, and that is seen.
    if (!error.errors) process.kill(process.pid, "SIGKILL");
    throw new BundleError(error.errors.map(explain).join("\n"));
  }
}

const sharedModules = {
  name: "shared-modules",
  setup(bundling) {
    bundling.onResolve({ filter: SHARED }, ({ path }) => ({ path, namespace: "shared" }));
    bundling.onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => ({
      contents: `module.exports = __page.modules[${JSON.stringify(path)}];`,
    }));
    // The same for every project: references are made of their names alone.
    bundling.onResolve({ filter: GENERATED_API }, () => ({ path: "api", namespace: "generated" }));
    bundling.onLoad({ filter: /.*/, namespace: "generated" }, () => ({
      contents: `const { anyApi, componentsGeneric } = __page.modules["convex/server"];
                 export const api = anyApi, internal = anyApi, components = componentsGeneric();`,
    }));
  },
};

function explain({ text, location }) {
  return location ? `${location.file}:${location.line}: ${text}` : text;
}
