// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { MAX_RANGE, MINUTE } from "../constants";
import { dayOf, listDays, zoneRows } from "./days";

export type MeterReport = {
  meter: string;
  kind: "sum" | "peak";
  // `total` of a peak is null for a day without events.
  days: { day: string; events: number; total: number | null }[];
};

function checkRange(from: number, to: number) {
  if (from % MINUTE !== 0 || to % MINUTE !== 0) throw new ConvexError("not a whole minute");
  if (from < 0 || from >= to || to - from > MAX_RANGE) throw new ConvexError("bad range");
}

/** What each meter of a customer counted on each day of a range, in parts of the first and last. */
export async function reportDays(
  ctx: QueryCtx,
  customer: Doc<"customers">,
  from: number,
  to: number,
): Promise<MeterReport[]> {
  checkRange(from, to);
  const zone = await zoneRows(ctx, customer.zone);
  const meters = await ctx.db
    .query("meters")
    .withIndex("by_customer", (q) => q.eq("customer", customer._id))
    .collect();
  const reports: MeterReport[] = [];
  for (const { _id, name, kind } of meters) {
    const amounts = new Map(listDays(zone, from, to).map((day) => [day, [] as number[]]));
    const events = ctx.db
      .query("events")
      .withIndex("by_meter", (q) => q.eq("meter", _id).gte("at", from).lt("at", to));
    for await (const { at, amount, retracted } of events)
      if (!retracted) amounts.get(dayOf(zone, at))?.push(amount);
    const days = [...amounts].map(([day, values]) => ({
      day,
      events: values.length,
      total:
        kind === "sum"
          ? values.reduce((sum, value) => sum + value, 0)
          : values.length > 0
            ? Math.max(...values)
            : null,
    }));
    reports.push({ meter: name, kind, days });
  }
  return reports;
}
