// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { DAY, dayOf, MINUTE, momentOf, numberOf, showWall, wallOf } from "./clocks";
import { isEndless, isPlanned, listPlanned, type Rule } from "./rule";

/** The longest occurrence, and what zones may add. */
const DAYS_BEFORE = 9;
const DAYS_AFTER = 2;
const EVERY = [undefined, "day", "week", "month", "year"] as const;

export type Change = Pick<Doc<"changes">, "day" | "start" | "minutes">;
export type Occurrence = { series: Doc<"series">; day: string; begin: number; end: number };
export type Span = { begin: number; end: number };

export const overlaps = (one: Span, other: Span): boolean =>
  one.begin < other.end && other.begin < one.end;

/** When a day of a series takes place; null for one that was skipped. */
export function occur(rule: Rule, day: number, change: Change | undefined): Span | null {
  if (change !== undefined && change.start === undefined) return null;
  const wall = wallOf(change?.start ?? `${dayOf(day)}${rule.start.slice(10)}`);
  const minutes = change?.minutes || rule.minutes;
  return {
    begin: momentOf(rule.zone, wall),
    end: momentOf(rule.zone, wall + minutes * MINUTE),
  };
}

/** The occurrences of a rule that meet a span, with the changes that are near it. */
export function expand(rule: Rule, changes: Change[], span: Span): (Span & { day: string })[] {
  const first = Math.floor(span.begin / DAY) - DAYS_BEFORE;
  const last = Math.floor(span.end / DAY) + DAYS_AFTER;
  const byDay = new Map(changes.map((change) => [numberOf(change.day), change]));
  const days = new Set<number>();
  for (const day of listPlanned(rule, last)) if (day >= first) days.add(day);
  for (const day of byDay.keys()) if (!days.has(day) && isPlanned(rule, day)) days.add(day);
  const occurrences: (Span & { day: string })[] = [];
  for (const day of [...days].sort((one, other) => one - other)) {
    const occurrence = occur(rule, day, byDay.get(day));
    if (occurrence !== null && overlaps(occurrence, span)) {
      occurrences.push({ day: dayOf(day), ...occurrence });
    }
  }
  return occurrences;
}

/** The changes of days near a span, and those that were moved there. */
async function loadChanges(ctx: QueryCtx, series: Id<"series">, span: Span): Promise<Change[]> {
  const first = Math.floor(span.begin / DAY) - DAYS_BEFORE;
  const last = Math.floor(span.end / DAY) + DAYS_AFTER;
  const [near, moved] = await Promise.all([
    ctx.db
      .query("changes")
      .withIndex("by_series", (q) =>
        q.eq("series", series).gte("day", dayOf(first)).lte("day", dayOf(last)),
      )
      .collect(),
    ctx.db
      .query("changes")
      .withIndex("by_start", (q) =>
        q
          .eq("series", series)
          .gte("start", showWall(first * DAY))
          .lte("start", showWall((last + 1) * DAY)),
      )
      .collect(),
  ]);
  return [...near, ...moved];
}

/** What takes place in a room within a span, by the order in which the series were made. */
export async function findOccurrences(
  ctx: QueryCtx,
  room: Id<"rooms">,
  span: Span,
): Promise<Occurrence[]> {
  const first = dayOf(Math.floor(span.begin / DAY) - DAYS_BEFORE);
  const last = dayOf(Math.floor(span.end / DAY) + DAYS_AFTER);
  const groups = await Promise.all(
    EVERY.map(async (every) => {
      const ending = await ctx.db
        .query("series")
        .withIndex("by_last", (q) => {
          const ended = q.eq("room", room).eq("every", every).gte("last", first);
          return every === undefined ? ended.lte("last", last) : ended;
        })
        .collect();
      const endless = await ctx.db
        .query("series")
        .withIndex("by_last", (q) => q.eq("room", room).eq("every", every).eq("last", undefined))
        .collect();
      return [...ending, ...endless];
    }),
  );
  const series = groups.flat().sort((one, other) => one._creationTime - other._creationTime);
  const occurrences: Occurrence[] = [];
  for (const rule of series) {
    const changes = await loadChanges(ctx, rule._id, span);
    for (const found of expand(rule, changes, span)) occurrences.push({ series: rule, ...found });
  }
  return occurrences;
}

/** The field `last` of a series with all its changes. */
export function findLast(rule: Rule, changes: Change[]): string | undefined {
  if (isEndless(rule)) return undefined;
  const byDay = new Map(changes.map((change) => [change.day, change]));
  let last: string | undefined;
  for (const number of listPlanned(rule, Infinity)) {
    const day = dayOf(number);
    const change = byDay.get(day);
    if (change !== undefined && change.start === undefined) continue;
    const begins = change?.start?.slice(0, 10) ?? day;
    if (last === undefined || begins > last) last = begins;
  }
  return last ?? rule.start.slice(0, 10);
}
