// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "../_generated/dataModel";
import { mutation, type MutationCtx } from "../_generated/server";
import { fail } from "../lib/errors";
import { requireProject } from "../projects/find";
import { hashKey } from "./hash";

/** Make a key, and return it. It is told this once: we keep its hash only. */
export const create = mutation({
  args: { project: v.id("projects") },
  returns: v.object({ id: v.id("keys"), key: v.string() }),
  handler: async (ctx, { project }) => {
    await requireProject(ctx, project);
    return await makeKey(ctx, project);
  },
});

export const revoke = mutation({
  args: { key: v.id("keys") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const key = await ctx.db.get("keys", args.key);
    if (key === null) {
      throw fail("not_found");
    }
    await requireProject(ctx, key.project);
    await ctx.db.patch("keys", key._id, { revokedAt: Date.now() });
    return null;
  },
});

/** Make a key in the place of another one. */
export const rotate = mutation({
  args: { key: v.id("keys") },
  returns: v.object({ id: v.id("keys"), key: v.string() }),
  handler: async (ctx, args) => {
    const key = await ctx.db.get("keys", args.key);
    if (key === null) {
      throw fail("not_found");
    }
    await requireProject(ctx, key.project);
    await ctx.db.patch("keys", key._id, { revokedAt: Date.now() });
    return await makeKey(ctx, key.project);
  },
});

async function makeKey(
  ctx: MutationCtx,
  project: Id<"projects">,
): Promise<{ id: Id<"keys">; key: string }> {
  const key = `tk_${crypto.randomUUID()}`;
  const id = await ctx.db.insert("keys", { project, hash: await hashKey(key) });
  return { id, key };
}
