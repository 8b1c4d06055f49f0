// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";

const nose = v.nullable(v.id("perfumers"));
const card = v.object({
  perfume: v.id("perfumes"),
  name: v.string(),
  house: v.string(),
  perfumer: v.nullable(v.string()),
});

async function cards(ctx: QueryCtx, perfumes: AsyncIterable<Doc<"perfumes">>) {
  const names = new Map<Id<"houses"> | Id<"perfumers">, string>();
  const made: Infer<typeof card>[] = [];
  for await (const perfume of perfumes) {
    if (!names.has(perfume.house)) {
      const house = await ctx.db.get("houses", perfume.house);
      names.set(perfume.house, house!.name);
    }
    if (perfume.perfumer !== null && !names.has(perfume.perfumer)) {
      const perfumer = await ctx.db.get("perfumers", perfume.perfumer);
      names.set(perfume.perfumer, perfumer!.name);
    }
    made.push({
      perfume: perfume._id,
      name: perfume.name,
      house: names.get(perfume.house)!,
      perfumer: perfume.perfumer && names.get(perfume.perfumer)!,
    });
  }
  return made;
}

async function known(ctx: MutationCtx, id: Id<"perfumers"> | null) {
  return id === null || Boolean(await ctx.db.get("perfumers", id));
}

export const add = mutation({
  args: { name: v.string(), house: v.id("houses"), perfumer: nose },
  returns: v.nullable(v.id("perfumes")),
  handler: async (ctx, { name, house, perfumer }) => {
    if (!(await ctx.db.get("houses", house))) return null;
    if (!(await known(ctx, perfumer))) return null;
    return await ctx.db.insert("perfumes", { name, house, perfumer });
  },
});

export const ofHouse = query({
  args: { house: v.id("houses") },
  returns: v.array(card),
  handler: (ctx, args) =>
    cards(
      ctx,
      ctx.db.query("perfumes").withIndex("by_house", (q) => q.eq("house", args.house)),
    ),
});

export const named = query({
  args: { house: v.id("houses"), name: v.string() },
  returns: v.array(card),
  handler: (ctx, args) =>
    cards(
      ctx,
      ctx.db
        .query("perfumes")
        .withIndex("by_house_and_name", (q) => q.eq("house", args.house).eq("name", args.name)),
    ),
});

export const ofPerfumer = query({
  args: { perfumer: v.id("perfumers") },
  returns: v.array(card),
  handler: (ctx, args) =>
    cards(
      ctx,
      ctx.db.query("perfumes").withIndex("by_perfumer", (q) => q.eq("perfumer", args.perfumer)),
    ),
});

export const anonymous = query({
  args: { limit: v.number() },
  returns: v.array(card),
  handler: async (ctx, { limit }) => {
    const unknown = ctx.db.query("perfumes").withIndex("by_perfumer", (q) => q.eq("perfumer", null));
    async function* firstOnes() {
      yield* await unknown.take(limit);
    }
    return await cards(ctx, firstOnes());
  },
});

export const attribute = mutation({
  args: { perfume: v.id("perfumes"), perfumer: nose },
  returns: v.boolean(),
  handler: async (ctx, { perfume, perfumer }) => {
    const stored = await ctx.db.get("perfumes", perfume);
    if (!stored || !(await known(ctx, perfumer))) return false;
    const { name, house } = stored;
    await ctx.db.replace("perfumes", perfume, { name, house, perfumer });
    return true;
  },
});

export const removeHouse = mutation({
  args: { house: v.id("houses") },
  returns: v.boolean(),
  handler: async (ctx, { house }) => {
    if (!(await ctx.db.get("houses", house))) return false;
    const left = await ctx.db
      .query("perfumes")
      .withIndex("by_house", (q) => q.eq("house", house))
      .take(1);
    if (left.length > 0) return false;
    await ctx.db.delete("houses", house);
    return true;
  },
});

export const removePerfumer = mutation({
  args: { perfumer: v.id("perfumers") },
  returns: v.boolean(),
  handler: async (ctx, { perfumer }) => {
    if (!(await ctx.db.get("perfumers", perfumer))) return false;
    const theirs = await ctx.db
      .query("perfumes")
      .withIndex("by_perfumer", (q) => q.eq("perfumer", perfumer))
      .collect();
    await Promise.all(theirs.map(({ _id }) => ctx.db.patch("perfumes", _id, { perfumer: null })));
    await ctx.db.delete("perfumers", perfumer);
    return true;
  },
});
