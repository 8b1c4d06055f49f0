// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";

async function identify(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (!identity) throw new ConvexError("not signed in");
  const { issuer, subject } = identity;
  const climber = await ctx.db
    .query("climbers")
    .withIndex("by_identity", (q) => q.eq("issuer", issuer).eq("subject", subject))
    .unique();
  return { issuer, subject, climber };
}

async function owned(ctx: QueryCtx | MutationCtx, id: Id<"ascents">) {
  const { climber } = await identify(ctx);
  const ascent = await ctx.db.get(id);
  if (!ascent || !climber || ascent.climber !== climber._id) {
    throw new ConvexError("no such ascent");
  }
  return ascent;
}

function present(ascent: Doc<"ascents">) {
  return {
    _id: ascent._id,
    route: ascent.route,
    grade: ascent.grade,
    note: ascent.note ?? null,
  };
}

export const add = mutation({
  args: { route: v.string(), grade: v.string(), note: v.nullable(v.string()) },
  handler: async (ctx, { route, grade, note }) => {
    const { issuer, subject, climber } = await identify(ctx);
    return await ctx.db.insert("ascents", {
      climber: climber?._id ?? (await ctx.db.insert("climbers", { issuer, subject })),
      route,
      grade,
      ...(note === null ? {} : { note }),
    });
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { climber } = await identify(ctx);
    if (!climber) return [];
    const newest = await ctx.db
      .query("ascents")
      .withIndex("by_climber", (q) => q.eq("climber", climber._id))
      .order("desc")
      .take(20);
    return newest.map(present);
  },
});

export const get = query({
  args: { id: v.id("ascents") },
  handler: async (ctx, { id }) => present(await owned(ctx, id)),
});

export const edit = mutation({
  args: {
    id: v.id("ascents"),
    grade: v.optional(v.string()),
    note: v.optional(v.nullable(v.string())),
  },
  handler: async (ctx, { id, grade, note }) => {
    const ascent = await owned(ctx, id);
    await ctx.db.patch(id, {
      grade: grade ?? ascent.grade,
      ...(note === undefined ? {} : { note: note ?? undefined }),
    });
    return null;
  },
});

export const remove = mutation({
  args: { id: v.id("ascents") },
  handler: async (ctx, { id }) => {
    const ascent = await owned(ctx, id);
    await ctx.db.delete(ascent._id);
    return null;
  },
});
