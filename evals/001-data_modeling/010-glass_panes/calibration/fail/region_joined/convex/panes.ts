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
      const copies = { sortTitle: title.toLowerCase() };
      ids.push(await ctx.db.insert("panes", { workshop, title, year, ...copies }));
    }
    return ids;
  },
});

export const inRegion = query({
  args: { region: v.string(), from: v.number(), to: v.number() },
  handler: async (ctx, { region, from, to }) => {
    const workshops = await ctx.db
      .query("workshops")
      .withIndex("by_region", (q) => q.eq("region", region))
      .collect();
    const panes = await Promise.all(
      workshops.map(({ _id }) =>
        ctx.db
          .query("panes")
          .withIndex("by_workshop_and_year", (q) =>
            q.eq("workshop", _id).gte("year", from).lt("year", to),
          )
          .take(FOUND),
      ),
    );
    return panes
      .flat()
      .sort((a, b) => a.year - b.year || a._creationTime - b._creationTime)
      .slice(0, FOUND)
      .map(shown);
  },
});

export const titled = query({
  args: { start: v.string() },
  handler: async (ctx, { start }) => {
    const from = start.toLowerCase();
    const panes = await ctx.db
      .query("panes")
      .withIndex("by_sort_title", (q) =>
        q.gte("sortTitle", from).lt("sortTitle", `${from}\uffff`),
      )
      .take(FOUND);
    return panes.map(shown);
  },
});

export const rename = mutation({
  args: { pane: v.id("panes"), title: v.string() },
  handler: async (ctx, { pane, title }) => {
    if ((await ctx.db.get("panes", pane)) === null) {
      return false;
    }
    await ctx.db.patch("panes", pane, { title, sortTitle: title.toLowerCase() });
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
    await ctx.db.patch("panes", pane, { workshop });
    return true;
  },
});

export const relocate = mutation({
  args: { workshop: v.id("workshops"), region: v.string() },
  handler: async (ctx, { workshop, region }) => {
    if ((await ctx.db.get("workshops", workshop)) === null) {
      return false;
    }
    await ctx.db.patch("workshops", workshop, { region });
    return true;
  },
});

function shown({ _id, workshop, title, year }: Doc<"panes">) {
  return { pane: _id, workshop, title, year };
}
