// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireUser } from "../lib/session";

export async function getOwnCalendar(
  ctx: QueryCtx,
  id: Id<"calendars">,
): Promise<Doc<"calendars">> {
  const owner = await requireUser(ctx);
  const calendar = await ctx.db.get("calendars", id);
  if (calendar === null || calendar.owner !== owner) refuse("not_found");
  return calendar;
}

export async function getOwnEvent(ctx: QueryCtx, id: Id<"events">): Promise<Doc<"events">> {
  const owner = await requireUser(ctx);
  const event = await ctx.db.get("events", id);
  if (event === null || event.owner !== owner || event.away !== undefined) refuse("not_found");
  return event;
}
