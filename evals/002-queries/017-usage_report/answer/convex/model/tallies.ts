// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { DAY, MINUTE, QUARTER } from "../constants";
import type { slot } from "../schema";

export type Slot = Infer<typeof slot>;
type Span = Doc<"tallies">["span"];

export const EMPTY: Slot = { events: 0, sum: 0, peak: null };
export const MINUTES = QUARTER / MINUTE;
export const QUARTERS = DAY / QUARTER;

export function addSlots(a: Slot, b: Slot): Slot {
  const peak = a.peak === null || b.peak === null ? (a.peak ?? b.peak) : Math.max(a.peak, b.peak);
  return { events: a.events + b.events, sum: a.sum + b.sum, peak };
}

export function tallyOf(ctx: QueryCtx, meter: Id<"meters">, span: Span, place: number) {
  return ctx.db
    .query("tallies")
    .withIndex("by_meter", (q) => q.eq("meter", meter).eq("span", span).eq("place", place))
    .unique();
}

/** Changes a slot, and returns what all slots of its tally come to. */
async function putSlot(
  ctx: MutationCtx,
  key: { meter: Id<"meters">; span: Span; place: number },
  index: number,
  slot: Slot,
): Promise<Slot> {
  const tally = await tallyOf(ctx, key.meter, key.span, key.place);
  const length = key.span === "day" ? QUARTERS : MINUTES;
  const slots = tally?.slots.slice() ?? Array.from({ length }, () => EMPTY);
  slots[index] = slot;
  const all = slots.reduce(addSlots, EMPTY);
  if (tally === null) {
    if (all.events > 0) await ctx.db.insert("tallies", { ...key, slots });
  } else if (all.events > 0) {
    await ctx.db.patch("tallies", tally._id, { slots });
  } else {
    await ctx.db.delete("tallies", tally._id);
  }
  return all;
}

/** Counts the minutes of some moments afresh, after events were stored, changed or deleted there. */
export async function recount(ctx: MutationCtx, meter: Id<"meters">, moments: number[]) {
  for (const minute of new Set(moments.map((at) => Math.floor(at / MINUTE)))) {
    const events = await ctx.db
      .query("events")
      .withIndex("by_meter", (q) =>
        q.eq("meter", meter).gte("at", minute * MINUTE).lt("at", (minute + 1) * MINUTE),
      )
      .collect();
    const slot = events
      .filter((event) => !event.retracted)
      .map(({ amount }) => ({ events: 1, sum: amount, peak: amount }))
      .reduce(addSlots, EMPTY);
    const quarter = Math.floor(minute / MINUTES);
    const minutes = { meter, span: "quarter" as const, place: quarter };
    const whole = await putSlot(ctx, minutes, minute % MINUTES, slot);
    const quarters = { meter, span: "day" as const, place: Math.floor(quarter / QUARTERS) };
    await putSlot(ctx, quarters, quarter % QUARTERS, whole);
  }
}

/** Deletes some tallies of a meter that is deleted, and tells how many. */
export async function dropTallies(ctx: MutationCtx, meter: Id<"meters">, count: number) {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_meter", (q) => q.eq("meter", meter))
    .take(count);
  for (const tally of tallies) await ctx.db.delete("tallies", tally._id);
  return tallies.length;
}
