// The bundle of a model's component with its imports, a script for the page's window.

import { build } from "esbuild";

const SHARED =
  /^(react|react-dom|react-dom\/client|react\/jsx-runtime|react\/jsx-dev-runtime|convex\/(browser|react|server|values))$/;
const GENERATED_API = /(^|\/)_generated\/api(\.js)?$/;

/** The component could not be bundled: a file is missing, or has a wrong syntax. */
export class BundleError extends Error {}

/**
 * Bundles a component. In the page's window, the script stores its module in the global `__component`.
 *
 * @param {{ project: string, packages: string, component: string, address: string }} options
 *   `address` is the value of `import.meta.env.VITE_CONVEX_URL`.
 * @returns {Promise<string>} Rejects with a BundleError that names the file and the reason.
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
      // A missing default export is reported when the component is mounted.
      logOverride: { "import-is-undefined": "silent" },
      logLevel: "silent",
    });
    return outputFiles[0].text;
  } catch (error) {
    // The bundler has ended, which is no fault of the component. This process ends too, so that the fault is
    // noticed.
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
    // The generated API is the same for all projects, because references are made only of names.
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
