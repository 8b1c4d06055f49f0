// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { DAY, MINUTE } from "../constants";

const MINUTES = DAY / MINUTE;
export const NO_PEAK = -1;

/** The tallies of a meter for all UTC days that have a part in a range. */
export function talliesOf(ctx: QueryCtx, meter: Id<"meters">, from: number, to: number) {
  return ctx.db
    .query("tallies")
    .withIndex("by_meter", (q) =>
      q
        .eq("meter", meter)
        .gte("day", Math.floor(from / DAY))
        .lte("day", Math.floor((to - 1) / DAY)),
    );
}

async function recountDay(ctx: MutationCtx, meter: Id<"meters">, day: number, minutes: number[]) {
  const tally = await talliesOf(ctx, meter, day * DAY, (day + 1) * DAY).unique();
  const events = tally?.events ?? new Array<number>(MINUTES).fill(0);
  const sums = tally?.sums ?? new Array<number>(MINUTES).fill(0);
  const peaks = tally?.peaks ?? new Array<number>(MINUTES).fill(NO_PEAK);
  for (const minute of minutes) {
    const from = day * DAY + minute * MINUTE;
    const all = await ctx.db
      .query("events")
      .withIndex("by_meter", (q) => q.eq("meter", meter).gte("at", from).lt("at", from + MINUTE))
      .collect();
    const amounts = all.filter((event) => !event.retracted).map((event) => event.amount);
    events[minute] = amounts.length;
    sums[minute] = amounts.reduce((sum, amount) => sum + amount, 0);
    peaks[minute] = Math.max(NO_PEAK, ...amounts);
  }
  if (tally !== null) await ctx.db.patch("tallies", tally._id, { events, sums, peaks });
  else await ctx.db.insert("tallies", { meter, day, events, sums, peaks });
}

export async function recount(ctx: MutationCtx, meter: Id<"meters">, moments: number[]) {
  const minutes = [...new Set(moments.map((at) => Math.floor(at / MINUTE)))];
  for (const day of new Set(minutes.map((minute) => Math.floor(minute / MINUTES)))) {
    const own = minutes.filter((minute) => Math.floor(minute / MINUTES) === day);
    await recountDay(
      ctx,
      meter,
      day,
      own.map((minute) => minute % MINUTES),
    );
  }
}

export async function dropTallies(ctx: MutationCtx, meter: Id<"meters">, count: number) {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_meter", (q) => q.eq("meter", meter))
    .take(count);
  for (const tally of tallies) await ctx.db.delete("tallies", tally._id);
  return tallies.length;
}
