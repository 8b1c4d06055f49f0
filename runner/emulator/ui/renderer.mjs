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

import { readOptions } from "../command_line.mjs";
import { bundle, BundleError } from "./bundle.mjs";
import { Page } from "./page.mjs";
import { PageError, Screen } from "./screen.mjs";

/** @type {{ [option in "project" | "packages" | "link" | "backend" | "origin" | "site-origin"]: string }} */
const options = readOptions("project", "packages", "link", "backend", "origin", "site-origin");

const scripts = new Map();
/** @type {Screen} */
let screen;
/** @type {Page | null} */
let page = null;

/** @param {any} details */
async function render({ component, export: exportName, props, held }) {
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
}

async function close() {
  await page?.close();
  page = null;
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
    if (command === "render") await render(details);
    else if (command === "close") await close();
    else if (page === null) return { broken: "no page is rendered" };
    else return { result: (await page.perform(command, details)) ?? null };
    return { result: null };
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
