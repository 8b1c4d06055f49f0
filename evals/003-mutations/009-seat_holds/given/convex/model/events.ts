// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { SALES_END_MS } from "../lib/rules";

export function salesEndOf(event: Doc<"events">): number {
  return event.startsAt - SALES_END_MS;
}

/** Whether seats of an event can be booked on the web now. */
export function isOnSale(event: Doc<"events">): boolean {
  return event.state === "on_sale" && Date.now() < salesEndOf(event);
}

/** An event of which seats can be booked on the web now. */
export async function openEvent(ctx: QueryCtx, id: Id<"events">): Promise<Doc<"events">> {
  const event = await ctx.db.get("events", id);
  if (event === null) throw new ConvexError("no_event");
  if (event.state === "called_off") throw new ConvexError("called_off");
  if (!isOnSale(event)) throw new ConvexError("sales_ended");
  return event;
}
