// How ESLint checks the JavaScript of this project: scripts/check-javascript.
//
// The rules that answers are held to are others: runner/grading/steps/eslint/lint_worker.mjs.

import js from "./tests/checkers/node_modules/@eslint/js/src/index.js";
import globals from "./tests/checkers/node_modules/globals/index.js";

const RULES = {
  "array-callback-return": "error",
  "consistent-return": "error",
  "default-case-last": "error",
  eqeqeq: "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-shadow": "error",
  "no-throw-literal": "error",
  "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-useless-rename": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-template": "error",
};

const BROWSER = ["leaderboard/**/*.js", "review/**/*.js", "site_templates/**/*.js"];
/** Node's programs that work in a window, or make one. */
const WINDOW = ["runner/emulator/ui/inside/vendor.mjs", "tests/**/sync/clients/pages.mjs"];

export default [
  {
    ignores: [
      "data/",
      "evals/",
      "site/",
      ".site.build/",
      ".cache/",
      ".venv/",
      "site_templates/assets/prism.js",
    ],
  },
  js.configs.recommended,
  {
    rules: RULES,
    languageOptions: { ecmaVersion: "latest", sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
  },
  { files: ["**/*.mjs"], languageOptions: { globals: globals.node } },
  {
    files: ["**/*.cjs"],
    languageOptions: { globals: globals.node, sourceType: "commonjs" },
  },
  { files: [...BROWSER, ...WINDOW], languageOptions: { globals: globals.browser } },
];
