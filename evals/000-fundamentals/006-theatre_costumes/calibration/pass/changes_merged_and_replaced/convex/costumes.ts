// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { WithoutSystemFields } from "convex/server";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, type MutationCtx, query } from "./_generated/server";
import schema from "./schema";

const { lentTo, ...described } = schema.tables.costumes.validator.fields;

type Costume = WithoutSystemFields<Doc<"costumes">>;

const refuse = (code: string, details: Record<string, string>) =>
  new ConvexError({ code, ...details });

function contentsOf({ _id, _creationTime, ...contents }: Doc<"costumes">): Costume {
  return contents;
}

/** Stores a costume under an id, or under a new one. */
async function save(ctx: MutationCtx, id: Id<"costumes"> | null, costume: Costume) {
  if (costume.tag.length === 0) throw refuse("invalid", { field: "tag" });
  if (costume.chestCm <= 0) throw refuse("invalid", { field: "chestCm" });
  const sameTag = await ctx.db
    .query("costumes")
    .withIndex("tag", (q) => q.eq("tag", costume.tag))
    .collect();
  const other = sameTag.find((one) => one._id !== id);
  if (other) throw refuse("tag_taken", { tag: costume.tag, costume: other._id });
  if (id === null) return await ctx.db.insert("costumes", costume);
  await ctx.db.replace(id, costume);
  return id;
}

export const create = mutation({
  args: described,
  returns: v.id("costumes"),
  handler: async (ctx, args) => await save(ctx, null, { ...args, lentTo: null }),
});

export const read = query({
  args: { costume: v.id("costumes") },
  handler: async (ctx, args) => {
    const costume = await ctx.db.get(args.costume);
    if (!costume) throw refuse("not_found", args);
    return costume;
  },
});

export const replace = mutation({
  args: { ...described, costume: v.id("costumes") },
  returns: v.null(),
  handler: async (ctx, { costume, ...given }) => {
    const old = await ctx.db.get(costume);
    if (!old) throw refuse("not_found", { costume });
    await save(ctx, costume, { ...given, lentTo: old.lentTo });
    return null;
  },
});

export const change = mutation({
  args: {
    costume: v.id("costumes"),
    changes: v
      .object({ ...described, lentTo, lining: v.nullable(v.string()) })
      .partial(),
  },
  returns: v.null(),
  handler: async (ctx, { costume, changes }) => {
    const old = await ctx.db.get(costume);
    if (!old) throw refuse("not_found", { costume });
    const { lining = old.lining, ...merged } = { ...contentsOf(old), ...changes };
    await save(ctx, costume, lining === null || lining === undefined ? merged : { ...merged, lining });
    return null;
  },
});

export const remove = mutation({
  args: { costume: v.id("costumes") },
  handler: async (ctx, { costume }) => {
    const old = await ctx.db.get(costume);
    if (!old) throw refuse("not_found", { costume });
    if (old.lentTo !== null) throw refuse("lent", { to: old.lentTo });
    await ctx.db.delete(costume);
    return old;
  },
});
