// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { enterCustomer } from "../customers/enter";
import { patchTicket } from "../lib/audit";
import { fail } from "../lib/errors";
import { openTicket } from "../tickets/manage";

/** Take over what a customer wrote in another program: a new ticket, or more of their open one. */
export const receive = internalMutation({
  args: { secret: v.string(), email: v.string(), name: v.string(), text: v.string() },
  returns: v.id("tickets"),
  handler: async (ctx, { secret, email, name, text }) => {
    const integration = await ctx.db
      .query("integrations")
      .withIndex("by_secret", (q) => q.eq("secret", secret))
      .unique();
    if (integration === null) {
      throw fail("not_allowed");
    }
    const actor = `key:${integration.name}`;
    const customer = await ctx.db
      .query("customers")
      .withIndex("by_email", (q) => q.eq("email", email.trim().toLowerCase()))
      .first();
    const id = customer?._id ?? (await enterCustomer(ctx, actor, { name, email }));
    const newest = await ctx.db
      .query("tickets")
      .withIndex("by_customer", (q) => q.eq("customer", id))
      .order("desc")
      .first();
    if (newest === null || newest.state === "closed") {
      const subject = text.slice(0, 40);
      return await openTicket(ctx, actor, { customer: id, subject, text, priority: "normal" });
    }
    await patchTicket(ctx, actor, newest._id, {
      text: `${newest.text}\n\n${text}`,
      state: "open",
      wakesAt: undefined,
      movedAt: Date.now(),
    });
    return newest._id;
  },
});
