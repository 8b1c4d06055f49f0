// Tells the renderer of the page, as it changes: it is not asked, so nobody here learns when it looks.

const TURN_MS = 10;
/** So many turns without news are told of, too: this process goes on. */
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

  /** @param {(message: object) => void} send takes messages for the renderer */
  constructor(send) {
    this.#send = send;
  }

  /** Tells of a new page from now on. */
  begin(changes) {
    if (this.#changes === null) setInterval(() => this.#turn(), TURN_MS);
    this.#changes = changes;
    this.#errors = [];
    this.#errorsTold = 0;
  }

  /** Notes what went wrong on the page and nobody caught. */
  note(text) {
    if (this.#errorsTold >= ERRORS_TOLD) return;
    this.#errorsTold += 1;
    this.#errors.push(text.slice(0, ERROR_CHARACTERS));
  }

  /** Notes the number of a message that was carried out, which is told when its tasks had a turn. */
  heard(number) {
    this.#heard = number;
    this.soon();
  }

  /** Tells at the end of this turn of the event loop. */
  soon() {
    this.#soon ??= setImmediate(() => this.#send(this.take()));
  }

  /** Takes what is new, to be told; it may be no more than that time went by. */
  take() {
    if (this.#soon) clearImmediate(this.#soon);
    this.#soon = null;
    return this.#news(this.#changes?.take() ?? {});
  }

  /** What controls hold changes without notice, so it is looked at. */
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
