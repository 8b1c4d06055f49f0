// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { DAY, MINUTE, dayNumber, dayOf, dayText } from "./days";

/** No offset from UTC, not even a historical one, is as large as this. */
const FAR = 17 * 60 * MINUTE;

/** The clocks of a time zone. */
export class Zone {
  private readonly format: Intl.DateTimeFormat;
  /** The offsets at the beginnings of days, by UTC. */
  private readonly midnights = new Map<number, number>();

  constructor(name: string) {
    this.format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  /** By how many milliseconds the clocks are ahead of UTC. */
  offset(instant: number): number {
    const day = dayOf(instant);
    const offset = this.midnight(day);
    return offset === this.midnight(day + 1) ? offset : this.measure(instant);
  }

  /**
   * When the clocks show this. Of what they show twice, the first time; what they leave out is
   * counted by the offset before the gap. (So it is in Python, with fold=0.)
   */
  instant(wall: number): number {
    const before = this.offset(wall - FAR);
    const after = this.offset(wall + FAR);
    const first = wall - before;
    if (before === after || this.offset(first) === before) {
      return first;
    }
    const second = wall - after;
    return this.offset(second) === after ? second : first;
  }

  /** "2026-03-29T18:30+02:00" */
  stamp(instant: number): string {
    const offset = this.offset(instant);
    const wall = instant + offset;
    const day = dayOf(wall);
    const minutes = Math.floor((wall - day * DAY) / MINUTE);
    const seconds = Math.abs(offset) / 1000;
    const rest = seconds % 60;
    return (
      `${dayText(day)}T${clock(minutes)}` +
      `${offset < 0 ? "-" : "+"}${clock(Math.floor(seconds / 60))}` +
      (rest === 0 ? "" : `:${twoDigits(rest)}`)
    );
  }

  private midnight(day: number): number {
    let offset = this.midnights.get(day);
    if (offset === undefined) {
      offset = this.measure(day * DAY);
      this.midnights.set(day, offset);
    }
    return offset;
  }

  private measure(instant: number): number {
    const second = Math.floor(instant / 1000) * 1000;
    const parts = new Map<string, number>();
    for (const part of this.format.formatToParts(second)) {
      parts.set(part.type, Number(part.value));
    }
    const read = (type: string): number => parts.get(type) ?? 0;
    const day = dayNumber(read("year"), read("month"), read("day"));
    const minutes = read("hour") * 60 + read("minute");
    return day * DAY + minutes * MINUTE + read("second") * 1000 - second;
  }
}

/** The zones that a call needs, each prepared once. */
export class Zones {
  private readonly known = new Map<string, Zone>();

  get(name: string): Zone {
    let zone = this.known.get(name);
    if (zone === undefined) {
      zone = new Zone(name);
      this.known.set(name, zone);
    }
    return zone;
  }
}

function clock(minutes: number): string {
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
