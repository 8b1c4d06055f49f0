// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";

const note = v.union(v.string(), v.null());

export const add = mutation({
  args: { route: v.string(), grade: v.string(), note },
  handler: async (ctx, args) => {
    const owner = await caller(ctx);
    return await ctx.db.insert("ascents", { ...args, owner });
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const owner = await caller(ctx);
    const ascents = await ctx.db
      .query("ascents")
      .withIndex("by_owner", (q) => q.eq("owner", owner))
      .order("desc")
      .take(20);
    return ascents.map(shown);
  },
});

export const get = query({
  args: { id: v.id("ascents") },
  handler: async (ctx, args) => {
    return shown(await own(ctx, args.id));
  },
});

export const edit = mutation({
  args: { id: v.id("ascents"), grade: v.optional(v.string()), note: v.optional(note) },
  handler: async (ctx, { id, grade, note }) => {
    const ascent = await own(ctx, id);
    await ctx.db.patch("ascents", id, {
      grade: grade ?? ascent.grade,
      note: note ?? ascent.note,
    });
    return null;
  },
});

export const remove = mutation({
  args: { id: v.id("ascents") },
  handler: async (ctx, args) => {
    await own(ctx, args.id);
    await ctx.db.delete("ascents", args.id);
    return null;
  },
});

/** Who is calling; refuses anonymous callers. */
async function caller(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw new ConvexError("not signed in");
  }
  return identity.tokenIdentifier;
}

/** The caller's own ascent; refuses those of others as if they were not there. */
async function own(ctx: QueryCtx, id: Id<"ascents">): Promise<Doc<"ascents">> {
  const owner = await caller(ctx);
  const ascent = await ctx.db.get("ascents", id);
  if (ascent === null || ascent.owner !== owner) {
    throw new ConvexError("no such ascent");
  }
  return ascent;
}

function shown({ _id, route, grade, note }: Doc<"ascents">) {
  return { _id, route, grade, note };
}
