// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { logChange, logCreated, memberActor } from "../audit/log";
import { fail } from "../lib/errors";
import { requireAdmin } from "../lib/members";
import { makeSecret } from "../lib/secrets";

/** Connect another program, or connect it anew. Its secret is told this once. */
export const connect = mutation({
  args: { name: v.string(), url: v.string() },
  returns: v.string(),
  handler: async (ctx, { name, url }) => {
    const actor = memberActor(await requireAdmin(ctx));
    const earlier = await ctx.db
      .query("integrations")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    const secret = makeSecret();
    if (earlier === null) {
      const id = await ctx.db.insert("integrations", { name, url, secret, isHealthy: true });
      await logCreated(ctx, actor, "integrations", id);
    } else {
      const renew = () =>
        ctx.db.replace("integrations", earlier._id, { name, url, secret, isHealthy: true });
      await logChange(ctx, actor, "integrations", earlier._id, renew);
    }
    return secret;
  },
});

export const disconnect = mutation({
  args: { name: v.string() },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    const actor = memberActor(await requireAdmin(ctx));
    const integration = await ctx.db
      .query("integrations")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    if (integration === null) {
      throw fail("not_found");
    }
    const remove = () => ctx.db.delete("integrations", integration._id);
    await logChange(ctx, actor, "integrations", integration._id, remove);
    return null;
  },
});
