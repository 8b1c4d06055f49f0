// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";

const LIMIT = 20;

export const found = mutation({
  args: { name: v.string(), region: v.string() },
  handler: async (ctx, { name, region }) => await ctx.db.insert("workshops", { name, region }),
});

export const enter = mutation({
  args: {
    workshop: v.id("workshops"),
    panes: v.array(v.object({ title: v.string(), year: v.number() })),
  },
  handler: async (ctx, { workshop, panes }) => {
    const maker = await ctx.db.get("workshops", workshop);
    if (!maker) return null;
    return await Promise.all(
      panes.map(async ({ title, year }) => {
        const pane = await ctx.db.insert("panes", { workshop, title, year });
        const { region } = maker;
        await ctx.db.insert("cards", { pane, workshop, region, year, key: title.toLowerCase() });
        return pane;
      }),
    );
  },
});

export const inRegion = query({
  args: { region: v.string(), from: v.number(), to: v.number() },
  handler: async (ctx, { region, from, to }) => {
    const cards = await ctx.db
      .query("cards")
      .withIndex("by_region_and_year", (q) => q.eq("region", region).gte("year", from).lt("year", to))
      .take(LIMIT);
    return await panesOf(ctx, cards);
  },
});

export const titled = query({
  args: { start: v.string() },
  handler: async (ctx, { start }) => {
    const first = start.toLowerCase();
    const cards = await ctx.db
      .query("cards")
      .withIndex("by_key", (q) => q.gte("key", first).lt("key", first + "~"))
      .take(LIMIT);
    return await panesOf(ctx, cards);
  },
});

export const rename = mutation({
  args: { pane: v.id("panes"), title: v.string() },
  handler: async (ctx, { pane, title }) => {
    if (!(await ctx.db.get("panes", pane))) return false;
    await ctx.db.patch("panes", pane, { title });
    await file(ctx, pane, { key: title.toLowerCase() });
    return true;
  },
});

export const attribute = mutation({
  args: { pane: v.id("panes"), workshop: v.id("workshops") },
  handler: async (ctx, { pane, workshop }) => {
    const maker = await ctx.db.get("workshops", workshop);
    if (!maker || !(await ctx.db.get("panes", pane))) return false;
    await ctx.db.patch("panes", pane, { workshop });
    await file(ctx, pane, { workshop, region: maker.region });
    return true;
  },
});

export const relocate = mutation({
  args: { workshop: v.id("workshops"), region: v.string() },
  handler: async (ctx, { workshop, region }) => {
    if (!(await ctx.db.get("workshops", workshop))) return false;
    await ctx.db.patch("workshops", workshop, { region });
    const cards = await ctx.db
      .query("cards")
      .withIndex("by_workshop", (q) => q.eq("workshop", workshop))
      .collect();
    for (const card of cards) await ctx.db.patch("cards", card._id, { region });
    return true;
  },
});

async function file(ctx: MutationCtx, pane: Id<"panes">, changes: Partial<Doc<"cards">>) {
  const card = await ctx.db
    .query("cards")
    .withIndex("by_pane", (q) => q.eq("pane", pane))
    .unique();
  if (card) await ctx.db.patch("cards", card._id, changes);
}

async function panesOf(ctx: QueryCtx, cards: Doc<"cards">[]) {
  const panes = await Promise.all(cards.map(({ pane }) => ctx.db.get("panes", pane)));
  return panes.flatMap((pane) => {
    if (!pane) return [];
    const { _id, workshop, title, year } = pane;
    return [{ pane: _id, workshop, title, year }];
  });
}
