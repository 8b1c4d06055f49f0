// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";

const FOUND = 20;

export const found = mutation({
  args: { name: v.string(), region: v.string() },
  handler: async (ctx, args) => await ctx.db.insert("workshops", args),
});

export const enter = mutation({
  args: {
    workshop: v.id("workshops"),
    panes: v.array(v.object({ title: v.string(), year: v.number() })),
  },
  handler: async (ctx, { workshop, panes }) => {
    const maker = await ctx.db.get("workshops", workshop);
    if (maker === null) {
      return null;
    }
    const ids: Id<"panes">[] = [];
    for (const { title, year } of panes) {
      const copies = { region: maker.region };
      ids.push(await ctx.db.insert("panes", { workshop, title, year, ...copies }));
    }
    return ids;
  },
});

export const inRegion = query({
  args: { region: v.string(), from: v.number(), to: v.number() },
  handler: async (ctx, { region, from, to }) => {
    const panes = await ctx.db
      .query("panes")
      .withIndex("by_region_and_year", (q) => q.eq("region", region).gte("year", from).lt("year", to))
      .take(FOUND);
    return panes.map(shown);
  },
});

export const titled = query({
  args: { start: v.string() },
  handler: async (ctx, { start }) => {
    const from = start.toLowerCase();
    const small = (pane: Doc<"panes">) => pane.title.toLowerCase();
    const panes = await ctx.db.query("panes").collect();
    return panes
      .filter((pane) => small(pane).startsWith(from))
      .sort((a, b) => (small(a) < small(b) ? -1 : small(a) > small(b) ? 1 : 0))
      .slice(0, FOUND)
      .map(shown);
  },
});

export const rename = mutation({
  args: { pane: v.id("panes"), title: v.string() },
  handler: async (ctx, { pane, title }) => {
    if ((await ctx.db.get("panes", pane)) === null) {
      return false;
    }
    await ctx.db.patch("panes", pane, { title });
    return true;
  },
});

export const attribute = mutation({
  args: { pane: v.id("panes"), workshop: v.id("workshops") },
  handler: async (ctx, { pane, workshop }) => {
    const maker = await ctx.db.get("workshops", workshop);
    if (maker === null || (await ctx.db.get("panes", pane)) === null) {
      return false;
    }
    await ctx.db.patch("panes", pane, { workshop, region: maker.region });
    return true;
  },
});

export const relocate = mutation({
  args: { workshop: v.id("workshops"), region: v.string() },
  handler: async (ctx, { workshop, region }) => {
    if ((await ctx.db.get("workshops", workshop)) === null) {
      return false;
    }
    const panes = ctx.db
      .query("panes")
      .withIndex("by_workshop", (q) => q.eq("workshop", workshop));
    for (const { _id } of await panes.collect()) {
      await ctx.db.patch("panes", _id, { region });
    }
    await ctx.db.patch("workshops", workshop, { region });
    return true;
  },
});

function shown({ _id, workshop, title, year }: Doc<"panes">) {
  return { pane: _id, workshop, title, year };
}
