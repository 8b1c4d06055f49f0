// A page for graders. This process finds elements, waits and decides on a copy of the page's document; the
// process that renders the page acts on elements.

import { beside, isDisabled, isEditable, optionOf, withLabel, withRole } from "./eyes.mjs";
import { Gate } from "./gate.mjs";
import { Relay } from "./relay.mjs";
import { PageError } from "./screen.mjs";
import { visibleText } from "./text.mjs";

const POLL_MS = 10;
/** The longest wait for answers that the backend owes: less than a grader's wait for an answer of this process. */
const ANSWERED_WITHIN_S = 8;
const APPEARS_WITHIN_S = 1;
/** Turns after which queued tasks have run; the first turn may have begun before they were queued. */
const TASKS_DONE_AFTER = 2;

/** The methods for commands with other names. */
const METHODS = {
  errors: "settledErrors",
  is_enabled: "isEnabled",
  is_checked: "isChecked",
  wait_state: "waitState",
};

export class Page {
  #screen;
  #gate = new Gate();
  #relay;
  #address;

  /**
   * @param {{ screen: import("./screen.mjs").Screen, address: string, siteAddress: string,
   *   socket: string }} setting
   */
  constructor({ screen, address, siteAddress, socket }) {
    this.#screen = screen;
    this.#address = address;
    const hosts = [address, siteAddress].map((origin) => new URL(origin).host);
    const send = (message) => screen.send(message);
    this.#relay = new Relay({ socket, hosts, gate: this.#gate, send });
  }

  get #body() {
    return this.#screen.copy.body;
  }

  open() {
    return this.#screen.open(this.#relay);
  }

  /** Runs the bundle of a component and renders one of its exports. */
  mount(script, exportName, props) {
    const address = this.#address;
    return this.#screen.perform({ act: "mount", script, exportName, props, address });
  }

  async close() {
    this.#relay.end();
    await this.#screen.perform({ act: "close" });
  }

  /** Performs a command of a grader, which has the name of a method here or in METHODS. */
  perform(command, details) {
    return this[METHODS[command] ?? command](details);
  }

  // --- Its network -------------------------------------------------------------------------------

  hold() {
    this.#gate.hold();
  }

  release() {
    this.#gate.release();
  }

  cut() {
    this.#relay.cut();
  }

  // --- Looking -----------------------------------------------------------------------------------

  async text({ css }) {
    await this.#screen.caughtUp();
    return this.shown(css);
  }

  /** Returns the text of the copy, without waiting until the copy is up to date. */
  shown(css) {
    const parts = css ? [...this.#body.querySelectorAll(css)] : [this.#body];
    return parts.map((part) => visibleText(part)).join("\n");
  }

  async html() {
    await this.#screen.caughtUp();
    return this.#body.innerHTML;
  }

  async count({ css }) {
    await this.#screen.caughtUp();
    return this.#body.querySelectorAll(css).length;
  }

  async attribute({ css, name }) {
    await this.#screen.caughtUp();
    const element = this.#body.querySelector(css);
    if (!element) throw new PageError(`nothing on the page matches ${css}`);
    return element.getAttribute(name);
  }

  async isEnabled(control) {
    const element = await this.#control(control);
    return !element.disabled && element.getAttribute("aria-disabled") !== "true";
  }

  async isChecked(control) {
    const element = await this.#control(control);
    return element.checked ?? element.getAttribute("aria-checked") === "true";
  }

  async value(control) {
    return (await this.#control(control)).value;
  }

  get errors() {
    return this.#screen.errors;
  }

  /**
   * Waits until the backend has answered all requests of the page, then returns the page's errors. Without the
   * wait, errors that a slow backend sends later would be missed. While answers are held back, it does not wait.
   */
  async settledErrors() {
    const end = performance.now() + ANSWERED_WITHIN_S * 1000;
    for (;;) {
      const answered = await this.#isAnswered();
      // React renders an answer, and sends further requests, in tasks of the next turns.
      await this.#turns(TASKS_DONE_AFTER);
      if ((answered && (await this.#isAnswered())) || performance.now() > end) break;
    }
    return this.errors;
  }

  /** Returns true if the page has received all answers, and sent no further request, or answers are held back. */
  async #isAnswered() {
    await this.#screen.caughtUp();
    return !this.#isOwed;
  }

  get #isOwed() {
    return !this.#gate.isHeld && this.#gate.unanswered.any;
  }

  // --- Doing -------------------------------------------------------------------------------------

  async click(control) {
    await this.#do("click", await this.#control(control));
  }

  async fill({ text, ...control }) {
    const field = await this.#control(control);
    if (field.tagName === "SELECT") {
      await this.#choose(field, control.label, text);
      return;
    }
    if (!isEditable(field)) {
      throw new PageError(`the field "${control.label}" takes no text: it is disabled or fixed`);
    }
    await this.#do("type", field, { text });
  }

  async #choose(field, label, text) {
    const option = optionOf(field, text);
    if (!option) {
      const offered = [...field.options].map((offer) => `"${offer.text}"`).join(", ");
      throw new PageError(`the field "${label}" does not offer "${text}" but ${offered}`);
    }
    if (isDisabled(option)) return;
    await this.#do("choose", field, { option: this.#screen.copy.idOf(option) });
  }

  /** Presses a key such as Enter, in a field if a label is given. */
  async press({ key, ...control }) {
    const element = control.label ? this.#screen.copy.idOf(await this.#control(control)) : null;
    await this.#screen.perform({ act: "press", element, key });
  }

  /** Acts on an element; nothing happens if it is disabled, as in a browser. */
  async #do(act, element, details = {}) {
    if (isDisabled(element)) return;
    await this.#screen.perform({ act, element: this.#screen.copy.idOf(element), ...details });
  }

  // --- Waiting -----------------------------------------------------------------------------------

  /** Waits until a text is on the page, or not any more if `present` is false; all whitespace is equal. */
  async wait({ text, present, wait_s: timeoutS }) {
    const sought = text.replace(/\s+/g, " ").trim();
    const arrived = () => this.shown().replace(/\s+/g, " ").includes(sought) === present;
    if (await this.#until(arrived, timeoutS)) return;
    const what = present ? `"${text}" did not appear` : `"${text}" did not go away`;
    throw new PageError(`${what} within ${timeoutS} s`);
  }

  /** Waits until the result of the command `of` for a control is the expected value. */
  async waitState({ of, control, expected, wait_s: timeoutS }) {
    let value;
    const arrived = async () => (value = await this.perform(of, control)) === expected;
    if (await this.#until(arrived, timeoutS)) return;
    const values = `${JSON.stringify(value)}, not ${JSON.stringify(expected)}`;
    throw new PageError(`${of} of the ${nameOf(control)} is ${values}, after ${timeoutS} s`);
  }

  /** Returns the only control with a role and name, or with a label; waits up to a second for a missing control. */
  async #control(control) {
    const { label, role, name, within } = control;
    const what = nameOf(control);
    await this.#screen.caughtUp();
    let found = [];
    const find = () => {
      const all = label ? withLabel(this.#body, label) : withRole(this.#body, role, name);
      return (found = beside(all, within)).length > 0;
    };
    await this.#until(find, APPEARS_WITHIN_S);
    if (found.length === 1) return found[0];
    const place = within ? ` beside "${within}"` : "";
    throw new PageError(
      found.length === 0
        ? `there is no ${what}${place}`
        : `there are ${found.length} of: ${what}${place}`,
    );
  }

  /** Waits for a condition, which is checked again after each change of the page; returns true if it is met. */
  async #until(condition, timeoutS) {
    const { copy } = this.#screen;
    const start = performance.now();
    // On a machine under load a page gets fewer turns, so the wait also lasts until the page has had its turns.
    let enough = this.#screen.turns + turnsIn(timeoutS);
    let wasComing = false;
    for (let seen = -1; ; await this.#screen.news()) {
      const { version } = copy;
      if (seen !== version && (await condition())) return true;
      seen = version;
      const passedS = (performance.now() - start) / 1000;
      // A slow backend is not the page's fault: its answers are waited for, until the page has heard and shown them.
      const isComing = this.#isOwed || !this.#screen.hasHeardAll;
      // The turns count from the first look after the last answer: it is shown in turns of its own.
      if ((isComing || wasComing) && passedS < ANSWERED_WITHIN_S) {
        enough = Math.max(enough, this.#screen.turns + TASKS_DONE_AFTER);
      }
      wasComing = isComing;
      if (passedS > timeoutS && this.#screen.turns >= enough) return false;
    }
  }

  async #turns(count) {
    const enough = this.#screen.turns + count;
    while (this.#screen.turns < enough) await this.#screen.news();
  }
}

function nameOf({ label, role, name }) {
  return label ? `field labelled "${label}"` : `${role} named "${name}"`;
}

function turnsIn(seconds) {
  return (seconds * 1000) / POLL_MS / 2;
}
