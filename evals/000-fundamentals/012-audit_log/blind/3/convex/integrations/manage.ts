// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { memberActor, record } from "../lib/audit";
import { fail } from "../lib/errors";
import { requireAdmin } from "../lib/members";
import { makeSecret } from "../lib/secrets";

/** Connect another program, or connect it anew. Its secret is told this once. */
export const connect = mutation({
  args: { name: v.string(), url: v.string() },
  returns: v.string(),
  handler: async (ctx, { name, url }) => {
    const actor = memberActor((await requireAdmin(ctx))._id);
    const earlier = await ctx.db
      .query("integrations")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    const secret = makeSecret();
    const fields = { name, url, secret, isHealthy: true };
    let id = earlier?._id;
    if (id === undefined) {
      id = await ctx.db.insert("integrations", fields);
    } else {
      await ctx.db.replace("integrations", id, fields);
    }
    await record(ctx, actor, "integrations", earlier, await ctx.db.get("integrations", id));
    return secret;
  },
});

export const disconnect = mutation({
  args: { name: v.string() },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    const admin = await requireAdmin(ctx);
    const integration = await ctx.db
      .query("integrations")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    if (integration === null) {
      throw fail("not_found");
    }
    await ctx.db.delete("integrations", integration._id);
    await record(ctx, memberActor(admin._id), "integrations", integration, null);
    return null;
  },
});
