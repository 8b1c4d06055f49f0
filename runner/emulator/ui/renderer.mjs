// The program that renders model-written React components for a grader, one page at a time. Components run in
// another process (inside/main.mjs), in a jail of its own; none of their code runs in this process.
//
// Bundled by ../pack.mjs:
//
//   node renderer.cjs --project DIR --packages DIR --link SOCKET --backend SOCKET
//                     --origin URL --site-origin URL
//
// Commands are lines of JSON on standard input, answers are lines of JSON on standard output. The driver enforces
// time limits: it ends this process.

import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

import { bundle, BundleError } from "./bundle.mjs";
import { Page } from "./page.mjs";
import { PageError, Screen } from "./screen.mjs";

/** @type {{ [option in "project" | "packages" | "link" | "backend" | "origin" | "site-origin"]: string }} */
const options = /** @type {any} */ (
  parseArgs({
    options: {
      project: { type: "string" },
      packages: { type: "string" },
      link: { type: "string" },
      backend: { type: "string" },
      origin: { type: "string" },
      "site-origin": { type: "string" },
    },
  }).values
);

const scripts = new Map();
/** @type {Screen} */
let screen;
/** @type {Page | null} */
let page = null;

/** Returns the page. If there is no page, answer() has already refused the command. */
function shown() {
  if (page === null) throw new Error("no page is rendered");
  return page;
}

const commands = {
  async render({ component, export: exportName, props, held }) {
    await page?.close();
    const opened = new Page({
      screen,
      address: options.origin,
      siteAddress: options["site-origin"],
      socket: options.backend,
    });
    page = opened;
    if (held) opened.hold();
    const [bundled] = await Promise.all([script(component), opened.open()]);
    await opened.mount(bundled, exportName, props);
  },
  close: async () => {
    await page?.close();
    page = null;
  },
  text: ({ css }) => shown().text(css),
  html: () => shown().html(),
  errors: () => shown().settledErrors(),
  count: ({ css }) => shown().count(css),
  attribute: ({ css, name }) => shown().attribute(css, name),
  click: (control) => shown().click(control),
  is_enabled: (control) => shown().isEnabled(control),
  is_checked: (control) => shown().isChecked(control),
  fill: ({ text, ...control }) => shown().fill(control, text),
  value: (control) => shown().value(control),
  press: ({ key, ...control }) => shown().press(key, control),
  wait: ({ text, present, wait_s: waitS }) => shown().wait(text, present, waitS),
  wait_state({ of, control, expected, wait_s: waitS }) {
    return shown().waitState(
      () => commands[of](control),
      `${of} of ${named(control)}`,
      expected,
      waitS,
    );
  },
  hold: () => shown().hold(),
  release: () => shown().release(),
  cut: () => shown().cut(),
};

function named({ label, name, role }) {
  return label ? `the field labelled "${label}"` : `the ${role} named "${name}"`;
}

async function script(component) {
  if (!scripts.has(component)) {
    const { project, packages, origin } = options;
    scripts.set(component, await bundle({ project, packages, component, address: origin }));
  }
  return scripts.get(component);
}

async function answer({ command, ...details }) {
  try {
    if (command !== "render" && command !== "close" && page === null) {
      return { broken: "no page is rendered" };
    }
    return { result: (await commands[command](details)) ?? null };
  } catch (error) {
    if (error instanceof PageError || error instanceof BundleError) {
      return { failed: error.message, ...look() };
    }
    // The CSS selector is invalid, which is a fault of the grader.
    if (error.name === "SyntaxError") return { broken: error.message };
    return { failed: `the page cannot be read: ${error.stack ?? error}`, ...look() };
  }
}

/** Returns the text and the errors of the page, for a command that failed. */
function look() {
  try {
    return { text: page?.shown() ?? "", errors: page?.errors ?? [] };
  } catch (error) {
    return { text: "", errors: [String(error)] };
  }
}

function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Reports that the page's process has ended, and ends this process. */
function end(why) {
  process.stdout.write(`${JSON.stringify({ gone: why })}\n`, () => process.exit(0));
}

async function serve() {
  screen = await Screen.at(options.link, end);
  say({ result: "ready" });
  for await (const line of createInterface({ input: process.stdin })) {
    say(await answer(JSON.parse(line)));
  }
  process.exit(0);
}

void serve();
