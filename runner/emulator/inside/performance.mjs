// The global `performance` of the default runtime. The marks and measures of a call are its own.

/** The property by which our code, and no other, makes entries. */
const MADE_HERE = Symbol("made here");
const PARTS_OF_A_MILLISECOND = 10;

/**
 * Returns the classes of `performance`, and a function that makes the object of a call.
 *
 * @param {{ now: () => number, origin: () => number, refuse: (what: string) => never }} parts now returns the
 *   milliseconds since origin, which are rounded down to tenths; refuse ends the call
 */
export function definePerformance({ now, origin, refuse }) {
  const readNow = () => Math.floor(now() * PARTS_OF_A_MILLISECOND) / PARTS_OF_A_MILLISECOND;

  class PerformanceEntry {
    #parts;
    constructor(...options) {
      const [parts, secret] = options;
      if (secret !== MADE_HERE) throw new TypeError("Illegal constructor");
      this.#parts = parts;
    }
    get name() {
      return this.#parts.name;
    }
    get entryType() {
      return this.#parts.entryType;
    }
    get startTime() {
      return this.#parts.startTime;
    }
    get duration() {
      return this.#parts.duration;
    }
    toJSON() {
      const { name, entryType, startTime, duration } = this;
      return { name, entryType, startTime, duration };
    }
  }

  class PerformanceMark extends PerformanceEntry {
    #detail;
    constructor(name, options) {
      const { startTime = readNow(), detail = null } = options ?? {};
      if (startTime < 0) throw new TypeError(`A mark cannot be at ${startTime}`);
      super({ name: String(name), entryType: "mark", startTime, duration: 0 }, MADE_HERE);
      this.#detail = structuredClone(detail);
    }
    get detail() {
      return this.#detail;
    }
    get entryType() {
      return "mark";
    }
    toJSON() {
      return { ...super.toJSON(), detail: this.detail };
    }
  }

  class PerformanceMeasure extends PerformanceEntry {
    #detail;
    constructor(...options) {
      const [parts, secret] = options;
      super({ ...parts, entryType: "measure" }, secret);
      this.#detail = structuredClone(parts.detail ?? null);
    }
    get detail() {
      return this.#detail;
    }
    get entryType() {
      return "measure";
    }
    toJSON() {
      return { ...super.toJSON(), detail: this.detail };
    }
  }

  class Performance extends EventTarget {
    /** @type {PerformanceEntry[]} */
    #entries = [];
    onresourcetimingbufferfull = null;
    constructor(...options) {
      if (options[0] !== MADE_HERE) throw new TypeError("Illegal constructor");
      super();
    }
    now() {
      return readNow();
    }
    get timeOrigin() {
      return origin();
    }
    toJSON() {
      return { timeOrigin: this.timeOrigin };
    }
    mark(name, options) {
      const mark = new PerformanceMark(name, options);
      this.#entries.push(mark);
      return mark;
    }
    measure(name, start, endMark) {
      const options = typeof start === "object" && start !== null ? start : { start };
      const end = endMark ?? options.end;
      const { duration } = options;
      let from = this.#timeOf(options.start);
      let to = this.#timeOf(end);
      to ??= from !== undefined && duration !== undefined ? from + duration : readNow();
      from ??= end !== undefined && duration !== undefined ? to - duration : 0;
      const times = { startTime: from, duration: to - from, detail: options.detail };
      const measure = new PerformanceMeasure({ name: String(name), ...times }, MADE_HERE);
      this.#entries.push(measure);
      return measure;
    }
    getEntries() {
      return [...this.#entries];
    }
    getEntriesByName(name, type) {
      const entries = type === undefined ? this.#entries : this.getEntriesByType(type);
      return entries.filter((entry) => entry.name === name);
    }
    getEntriesByType(type) {
      return this.#entries.filter(({ entryType }) => entryType === type);
    }
    clearMarks(name) {
      this.#clear("mark", name);
    }
    clearMeasures(name) {
      this.#clear("measure", name);
    }
    /** Does nothing: there are no entries of resources. */
    clearResourceTimings() {}
    /** Does nothing: there are no entries of resources. */
    setResourceTimingBufferSize(_size) {}
    get eventCounts() {
      return refuse("get eventCounts for Performance");
    }
    get timing() {
      return refuse("get timing for Performance");
    }
    get navigation() {
      return refuse("get navigation for Performance");
    }
    #clear(type, name) {
      const goes = (entry) =>
        entry.entryType === type && (name === undefined || entry.name === name);
      this.#entries = this.#entries.filter((entry) => !goes(entry));
    }
    /** Returns the time of a mark by its name; a number is a time itself. */
    #timeOf(nameOrTime) {
      if (typeof nameOrTime !== "string") return nameOrTime;
      const mark = this.getEntriesByName(nameOrTime, "mark").at(-1);
      if (!mark) throw new DOMException(`Cannot find mark: "${nameOrTime}"`, "SyntaxError");
      return mark.startTime;
    }
  }

  return {
    classes: { Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure },
    make: () => new Performance(MADE_HERE),
  };
}
