// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import type { QueryCtx } from "./_generated/server";
import { attempt, refuse } from "./lib/attempt";
import { requireMember } from "./lib/session";
import { book, checkEntries, checkMinutes } from "./model/ledger";

async function getOpenEvent(ctx: QueryCtx, id: Id<"events">) {
  const event = (await ctx.db.get("events", id)) ?? refuse("no such event");
  if (event.closed) refuse("the event is closed");
  return event;
}

export const announce = mutation({
  args: { title: v.string(), fee: v.number() },
  returns: v.id("events"),
  handler: async (ctx, { title, fee }) => {
    const { _id: host } = await requireMember(ctx);
    checkMinutes(fee);
    return await ctx.db.insert("events", { host, title, fee, closed: false });
  },
});

export const join = mutation({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event: id }) => {
    const { _id: member } = await requireMember(ctx);
    const event = await getOpenEvent(ctx, id);
    if (event.host === member) refuse("that is you");
    const guest = await ctx.db
      .query("guests")
      .withIndex("by_event", (q) => q.eq("event", id).eq("member", member))
      .unique();
    if (guest === null) await ctx.db.insert("guests", { event: id, member });
    return null;
  },
});

/** Every guest gives the fee to the host. `unpaid` has the reason of each one who cannot. */
export const close = mutation({
  args: { event: v.id("events") },
  returns: v.object({ ok: v.boolean(), unpaid: v.array(v.string()) }),
  handler: async (ctx, { event: id }) => {
    const { _id: host } = await requireMember(ctx);
    const event = await getOpenEvent(ctx, id);
    if (event.host !== host) refuse("not your event");
    const guests = await ctx.db
      .query("guests")
      .withIndex("by_event", (q) => q.eq("event", id))
      .collect();
    const fees = guests.map(({ member }) => [
      { member, minutes: -event.fee },
      { member: host, minutes: event.fee },
    ]);
    const unpaid: string[] = [];
    for (const entries of fees) {
      const payable = await attempt(() => checkEntries(ctx, entries));
      if (!payable.ok) unpaid.push(payable.reason);
    }
    if (unpaid.length > 0) return { ok: false, unpaid };
    await book(ctx, "event", event.title, fees.flat());
    await ctx.db.patch("events", id, { closed: true });
    return { ok: true, unpaid };
  },
});
