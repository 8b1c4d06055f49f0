// Renders model-written React components for a grader, one page at a time.
//
// Bundled by ../pack.mjs:
//
//   node renderer.cjs --project DIR --packages DIR --vendor FILE --backend SOCKET
//                     --origin URL --site-origin URL
//
// Driven by JSON lines on standard input, answered by JSON lines on standard output. The first
// line gives a token that every answer begins with, so that a line a component manages to print is
// not taken for an answer. Commands are numbered, and so are answers. Time limits are the driver's: it ends this process when they pass.

import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Script } from "node:vm";

import { bundle, BundleError } from "./bundle.mjs";
import { hideMakers, lockBuiltins } from "./lock.mjs";
import { described, Page, PageError } from "./page.mjs";

/** @type {{ [option in "project" | "packages" | "vendor" | "backend" | "origin" | "site-origin"]: string }} */
const options = /** @type {any} */ (
  parseArgs({
    options: {
      project: { type: "string" },
      packages: { type: "string" },
      vendor: { type: "string" },
      backend: { type: "string" },
      origin: { type: "string" },
      "site-origin": { type: "string" },
    },
  }).values
);

const vendor = new Script(readFileSync(options.vendor, "utf8"), { filename: options.vendor });
const scripts = new Map();
/** @type {Page | null} */
let page = null;

process.on("uncaughtException", (error) => page?.note(described(error)));
process.on("unhandledRejection", (error) => page?.note(`unhandled rejection: ${described(error)}`));

/** Returns the page. Where there is none, answer() has refused the command already. */
function shown() {
  if (page === null) throw new Error("no page is rendered");
  return page;
}

const commands = {
  async render({ component, export: exportName, props, held }) {
    await page?.close();
    const opened = new Page({
      vendor,
      address: options.origin,
      siteAddress: options["site-origin"],
      socket: options.backend,
    });
    page = opened;
    if (held) opened.hold();
    opened.mount(await script(component), exportName, props);
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
  click: ({ name, role, within }) => shown().click(name, role, within),
  is_enabled: ({ name, role, within }) => shown().isEnabled(name, role, within),
  is_checked: ({ name, role, within }) => shown().isChecked(name, role, within),
  fill: ({ label, text, within }) => shown().fill(label, text, within),
  value: ({ label, within }) => shown().value(label, within),
  press: ({ key, label, within }) => shown().press(key, label, within),
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
    return { failed: `the page broke: ${described(error)}`, ...look() };
  }
}

// What was on the page when a command failed.
function look() {
  try {
    return { text: page?.text() ?? "", errors: page?.errors ?? [] };
  } catch (error) {
    return { text: "", errors: [String(error)] };
  }
}

const write = writeSync;
const { parse, stringify } = JSON;
hideMakers();
lockBuiltins(globalThis);

/** Writes at once, past whatever a page may have come to hold of the stream. */
function say(text) {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += write(1, bytes, written);
}

async function serve() {
  /** @type {string | null} */
  let token = null;
  for await (const line of createInterface({ input: process.stdin })) {
    if (token === null) {
      token = line;
      say(`${token}{"id":0,"result":"ready"}\n`);
      continue;
    }
    const { id, ...asked } = parse(line);
    say(`${token}${stringify({ id, ...(await answer(asked)) })}\n`);
  }
  process.exit(0);
}

void serve();
