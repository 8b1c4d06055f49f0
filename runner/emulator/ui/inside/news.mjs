// The reports on the page to the renderer. They are sent without a request, so that components cannot learn when
// the renderer reads the page.

const TURN_MS = 10;
/** After this number of turns without news a report is sent, too, because it shows that the process runs. */
const QUIET_TURNS = 5;
const ERRORS_TOLD = 50;
const ERROR_CHARACTERS = 2000;

export class News {
  #send;
  /** @type {import("./changes.mjs").Changes | null} */
  #changes = null;
  #errors = [];
  #errorsTold = 0;
  #turns = 0;
  #told = 0;
  #heard = 0;
  /** @type {NodeJS.Immediate | null} */
  #soon = null;

  /** @param {(message: object) => void} send sends a message to the renderer */
  constructor(send) {
    this.#send = send;
  }

  /** Reports on a new page from now on. */
  begin(changes) {
    if (this.#changes === null) setInterval(() => this.#turn(), TURN_MS);
    this.#changes = changes;
    this.#errors = [];
    this.#errorsTold = 0;
  }

  /** Stores an uncaught error of the page for the next report. */
  note(text) {
    if (this.#errorsTold >= ERRORS_TOLD) return;
    this.#errorsTold += 1;
    this.#errors.push(text.slice(0, ERROR_CHARACTERS));
  }

  /** Stores the number of a message that was handled; it is reported after its tasks have had a turn. */
  heard(number) {
    this.#heard = number;
    this.soon();
  }

  /** Sends a report at the end of this turn of the event loop. */
  soon() {
    this.#soon ??= setImmediate(() => this.#send(this.take()));
  }

  /** Returns a report with all news; without news it has only the number of turns. */
  take() {
    if (this.#soon) clearImmediate(this.#soon);
    this.#soon = null;
    return this.#news(this.#changes?.take() ?? {});
  }

  /** Checks for changes, because values of controls change without a notice. */
  #turn() {
    this.#turns += 1;
    const changed = this.#changes?.take() ?? {};
    const isNews = Object.keys(changed).length > 0 || this.#errors.length > 0;
    if (isNews || this.#turns - this.#told >= QUIET_TURNS) this.#send(this.#news(changed));
  }

  #news(changed) {
    this.#told = this.#turns;
    const errors = this.#errors;
    this.#errors = [];
    return {
      turns: this.#turns,
      heard: this.#heard,
      ...changed,
      ...(errors.length > 0 ? { errors } : {}),
    };
  }
}
