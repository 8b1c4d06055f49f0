// A page: a jsdom window with the model's component, and a user of the page (userEvent).

import { JSDOM, VirtualConsole } from "jsdom";
import { Script } from "node:vm";

import { Changes } from "./changes.mjs";

/** Node loads these classes when code first reads them, which takes time. */
const OF_FETCH = ["Headers", "Request", "Response"];

/** A fault of the component; the message is for the report. */
export class ComponentError extends Error {}

export class PageWindow {
  #dom;
  #kit;
  #hands;
  #note;
  /** @type {(() => Promise<void>) | null} */
  #unmount = null;

  /**
   * @param {{ vendor: Script, network: import("./network.mjs").Network, notify: () => void,
   *   note: (text: string) => void }} setting
   *   notify is called after a change of the page, note with each uncaught error
   */
  constructor({ vendor, network, notify, note }) {
    this.#note = note;
    this.#dom = new JSDOM("<!doctype html><html lang='en'><body></body></html>", {
      url: "http://page.test/",
      runScripts: "outside-only",
      pretendToBeVisual: true,
      virtualConsole: this.#console(),
    });
    const { window } = this.#dom;
    Object.assign(window, {
      WebSocket: network.webSocket(),
      fetch: network.fetch(),
      TextDecoder,
      TextEncoder,
    });
    for (const name of OF_FETCH) lend(window, name);
    this.changes = new Changes(window, notify);
    vendor.runInContext(this.#dom.getInternalVMContext());
    this.#kit = window.__page;
    window.__page = { modules: this.#kit.modules };
    this.#hands = this.#kit.userEvent.setup({
      document: window.document,
      delay: null,
      // This check reads all styles at each move; on a page without layout no element covers another.
      pointerEventsCheck: 0,
    });
  }

  /** Runs the bundle of a component and renders one of its exports. */
  mount({ script, exportName, props, address }) {
    const context = this.#dom.getInternalVMContext();
    try {
      new Script(`${script}\nglobalThis.__component = __component;`, {
        filename: "page.js",
      }).runInContext(context);
    } catch (error) {
      throw new ComponentError(`the component's module failed as it was loaded: ${error}`);
    }
    const component = this.#dom.window.__component[exportName];
    if (component === undefined) {
      throw new ComponentError(`the component has no export "${exportName}"`);
    }
    this.#unmount = this.#kit.mount({
      component,
      props,
      address,
      report: (error) => this.#note(describeError(error)),
    });
  }

  click({ element }) {
    return this.#hands.click(this.changes.element(element));
  }

  /** Replaces the text of a field by typing. */
  async type({ element, text }) {
    const field = this.changes.element(element);
    await this.#hands.clear(field);
    // userEvent uses brackets for names of keys, so brackets in the text are doubled.
    if (text !== "") await this.#hands.type(field, text.replace(/[{[]/g, "$&$&"));
  }

  choose({ element, option }) {
    return this.#hands.selectOptions(this.changes.element(element), this.changes.element(option));
  }

  /** Presses a key, in a field if `element` is not null. */
  async press({ element, key }) {
    if (element !== null) this.changes.element(element).focus();
    await this.#hands.keyboard(`{${key}}`);
  }

  async close() {
    await this.#unmount?.();
    this.#dom.window.close();
  }

  #console() {
    const console = new VirtualConsole();
    console.on("error", (...parts) => this.#note(parts.map(describeError).join(" ")));
    console.on("jsdomError", (error) => this.#note(describeError(error.cause ?? error)));
    return console;
  }
}

/** Gives a window a class of Node, which is read only when code in the window uses it. */
function lend(window, name) {
  Object.defineProperty(window, name, {
    configurable: true,
    get: () => globalThis[name],
    set: (value) => {
      Object.defineProperty(window, name, { value, writable: true });
    },
  });
}

/** Describes a thrown error with its stack, but only with the frames of the component. */
export function describeError(thing) {
  const lines = String(thing?.stack ?? thing).split("\n");
  return lines.filter((line) => !/^\s+at /.test(line) || line.includes("page.js")).join("\n");
}
