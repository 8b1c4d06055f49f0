// A page: a jsdom window with the model's component in it, and what a grader can do to it.

import { JSDOM, VirtualConsole } from "jsdom";
import { Script } from "node:vm";

import { lockBuiltins } from "./lock.mjs";
import { fetchOver, Gate, webSocketOver } from "./network.mjs";

const POLL_MS = 10;
const UNCHANGED_POLLS = 10;
/** As long as a text is waited for. */
const ANSWERED_WITHIN_S = 3;
/** Node loads them when they are first named, at a cost that shows. */
const OF_FETCH = ["Headers", "Request", "Response"];
const ERRORS_KEPT = 50;
const ERROR_CHARACTERS = 2000;
/** What `within` looks for a text in, to tell apart controls of the same name. */
const PARTS = "li, tr, article, section, fieldset, form, dialog, [role], div";

/** The page is not as the grader expects: the model's fault, in words for a report. */
export class PageError extends Error {}

export class Page {
  /** What went wrong on the page and nobody caught. */
  errors = [];
  #address;
  #gate = new Gate();
  #dom;
  #kit;
  #hands;
  /** @type {(() => Promise<void>) | null} */
  #unmount = null;
  #changes = 0;

  /**
   * @param {{ vendor: Script, address: string, siteAddress: string, socket: string }} setting
   */
  constructor({ vendor, address, siteAddress, socket }) {
    this.#address = address;
    this.#dom = new JSDOM("<!doctype html><html lang='en'><body></body></html>", {
      url: "http://page.test/",
      runScripts: "outside-only",
      pretendToBeVisual: true,
      virtualConsole: this.#console(),
    });
    const hosts = [address, siteAddress].map((origin) => new URL(origin).host);
    const { window } = this.#dom;
    Object.assign(window, {
      WebSocket: webSocketOver(socket, this.#gate),
      fetch: fetchOver(socket, hosts),
      TextDecoder,
      TextEncoder,
    });
    for (const name of OF_FETCH) lend(window, name);
    const watching = new window.MutationObserver(() => (this.#changes += 1));
    const everything = { attributes: true, characterData: true, childList: true, subtree: true };
    watching.observe(window.document, everything);
    vendor.runInContext(this.#dom.getInternalVMContext());
    this.#kit = { ...window.__page };
    // A component gets the modules alone: what works the page is not for it to exchange.
    window.__page = Object.freeze({ modules: this.#kit.modules });
    this.#hands = this.#kit.userEvent.setup({
      document: window.document,
      delay: null,
      // Looks through all styles at every move; a page without layout has nothing in the way.
      pointerEventsCheck: 0,
    });
  }

  get #body() {
    return this.#dom.window.document.body;
  }

  /** Remembers an error that nobody on the page caught. */
  note(text) {
    if (this.errors.length < ERRORS_KEPT) this.errors.push(text.slice(0, ERROR_CHARACTERS));
  }

  /** Runs a bundled component and renders what it exports under a name. */
  mount(script, exportName, props) {
    const context = this.#dom.getInternalVMContext();
    lockBuiltins(this.#dom.window);
    try {
      new Script(`${script}\nglobalThis.__component = __component;`, {
        filename: "page.js",
      }).runInContext(context);
    } catch (error) {
      throw new PageError(`the component's module failed as it was loaded: ${error}`);
    }
    const component = this.#dom.window.__component[exportName];
    if (component === undefined) throw new PageError(`the component has no export "${exportName}"`);
    this.#unmount = this.#kit.mount({
      component,
      props,
      address: this.#address,
      report: (error) => this.note(described(error)),
    });
  }

  async close() {
    this.#gate.cut();
    await this.#unmount?.();
    this.#dom.window.close();
  }

  hold() {
    this.#gate.hold();
  }

  release() {
    this.#gate.release();
  }

  cut() {
    this.#gate.cut();
  }

  text(css) {
    const parts = css ? [...this.#select(css)] : [this.#body];
    return parts.map((part) => this.#kit.visibleText(part)).join("\n");
  }

  html() {
    return this.#body.innerHTML;
  }

  count(css) {
    return this.#select(css).length;
  }

  attribute(css, name) {
    const [element] = this.#select(css);
    if (!element) throw new PageError(`nothing on the page matches ${css}`);
    return element.getAttribute(name);
  }

  async click(name, role, within) {
    await this.#hands.click(await this.#named(name, role, within));
  }

  async isEnabled(name, role, within) {
    const element = await this.#named(name, role, within);
    return !element.disabled && element.getAttribute("aria-disabled") !== "true";
  }

  async isChecked(name, role, within) {
    const element = await this.#named(name, role, within);
    return element.checked ?? element.getAttribute("aria-checked") === "true";
  }

  async fill(label, text, within) {
    const field = await this.#field(label, within);
    if (field.tagName === "SELECT") {
      await this.#choose(field, label, text);
      return;
    }
    await this.#hands.clear(field);
    // Its own notation for keys uses brackets: they are doubled to be typed as they are.
    if (text !== "") await this.#hands.type(field, text.replace(/[{[]/g, "$&$&"));
  }

  async #choose(field, label, text) {
    try {
      await this.#hands.selectOptions(field, text);
    } catch {
      const offered = [...field.options].map((option) => `"${option.text}"`).join(", ");
      throw new PageError(`the field "${label}" does not offer "${text}" but ${offered}`);
    }
  }

  async value(label, within) {
    return (await this.#field(label, within)).value;
  }

  /** Presses a key such as Enter, in a field where one is named. */
  async press(key, label, within) {
    if (label) (await this.#field(label, within)).focus();
    await this.#hands.keyboard(`{${key}}`);
  }

  /** Waits until a text is (or is no longer) on the page; whitespace is as good as other. */
  async wait(text, present, timeoutS) {
    const sought = text.replace(/\s+/g, " ").trim();
    const arrived = this.#whenChanged(
      () => this.text().replace(/\s+/g, " ").includes(sought) === present,
    );
    if (await settled(arrived, timeoutS)) return;
    const what = present ? `"${text}" did not appear` : `"${text}" did not go away`;
    throw new PageError(`${what} within ${timeoutS} s`);
  }

  /** Asks again only after the page changed; seldom also else, for a style sheet may without it. */
  #whenChanged(ask) {
    let seen = -1;
    let asked = 0;
    return () => {
      asked += 1;
      if (seen === this.#changes && asked % UNCHANGED_POLLS !== 0) return false;
      seen = this.#changes;
      return ask();
    };
  }

  /**
   * What went wrong, once all that the page asked is answered: an error that a slow backend has not
   * sent yet would else be overlooked. While answers are held it is what went wrong so far.
   */
  async settledErrors() {
    const answered = () => this.#gate.isHeld || !this.#gate.unanswered.any;
    await settled(answered, ANSWERED_WITHIN_S);
    // React renders an answer in tasks that are queued before this timer ends.
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return this.errors;
  }

  /** Waits until what `read` gives is as expected. */
  async waitState(read, what, expected, timeoutS) {
    let value = await read();
    const arrived = async () => (value = await read()) === expected;
    if (await settled(arrived, timeoutS)) return;
    throw new PageError(
      `${what} is ${JSON.stringify(value)}, not ${JSON.stringify(expected)}, after ${timeoutS} s`,
    );
  }

  async #named(name, role, within) {
    const look = () => this.#kit.withRole(this.#body, role, name);
    return this.#only(look, `${role} named "${name}"`, within);
  }

  async #field(label, within) {
    const look = () =>
      this.#kit.testing
        .queryAllByLabelText(this.#body, label)
        .filter((element) => element.matches("input, textarea, select, [contenteditable]"));
    return this.#only(look, `field labelled "${label}"`, within);
  }

  // A control that is about to appear is waited for, as a reader would.
  async #only(look, what, within) {
    let found = [];
    const find = () => (found = narrowed(look(), within, this.#kit.visibleText));
    await settled(() => find().length > 0, 1);
    const place = within ? ` beside "${within}"` : "";
    if (found.length === 1) return found[0];
    throw new PageError(
      found.length === 0
        ? `there is no ${what}${place}`
        : `there are ${found.length} of: ${what}${place}`,
    );
  }

  #select(css) {
    return this.#body.querySelectorAll(css);
  }

  #console() {
    const console = new VirtualConsole();
    console.on("error", (...parts) => this.note(parts.map(described).join(" ")));
    console.on("jsdomError", (error) => this.note(described(error.cause ?? error)));
    return console;
  }
}

/** Gives a window a class of Node's, without asking for it before the window does. */
function lend(window, name) {
  Object.defineProperty(window, name, {
    configurable: true,
    get: () => globalThis[name],
    set: (value) => {
      Object.defineProperty(window, name, { value, writable: true });
    },
  });
}

/** Keeps the elements in the smallest part of the page that shows the text. */
function narrowed(elements, within, visibleText) {
  if (!within) return elements;
  const shows = remembered((part) => visibleText(part).includes(within));
  const depths = elements.map((element) => stepsTo(element, shows));
  const nearest = Math.min(...depths);
  return elements.filter((_, index) => depths[index] === nearest && nearest < Infinity);
}

function stepsTo(element, shows) {
  let steps = 0;
  for (let part = element.closest(PARTS); part; part = part.parentElement?.closest(PARTS)) {
    if (shows(part)) return steps;
    steps += 1;
  }
  return Infinity;
}

/** Asks once for each thing: the parts around several elements are largely the same. */
function remembered(ask) {
  const known = new Map();
  return (thing) => {
    if (!known.has(thing)) known.set(thing, ask(thing));
    return known.get(thing);
  };
}

async function settled(condition, timeoutS) {
  const end = performance.now() + timeoutS * 1000;
  // A machine under load looks less often: a page has not had its time before it had its turns.
  let looks = (timeoutS * 1000) / POLL_MS / 2;
  while (!(await condition())) {
    looks -= 1;
    if (performance.now() > end && looks <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}

/** Says what was thrown, and where in the component: frames of React and of ours tell nothing. */
export function described(thing) {
  const lines = String(thing?.stack ?? thing).split("\n");
  return lines.filter((line) => !/^\s+at /.test(line) || line.includes("page.js")).join("\n");
}
