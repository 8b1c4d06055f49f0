// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx } from "./_generated/server";
import { given } from "./schema";

const MOST = 20;
const workshop = v.id("workshops");
const pane = v.id("panes");
const shown = v.object({ pane, workshop, ...given.fields });

type Pane = Pick<Doc<"panes">, "title" | "year" | "workshop">;

/** The one place that knows what a pane is found by. */
async function complete(ctx: MutationCtx, fields: Pane) {
  const maker = await ctx.db.get("workshops", fields.workshop);
  if (!maker) return null;
  const find = { inRegion: maker.region, lowerTitle: fields.title.toLowerCase() };
  return { ...fields, find };
}

async function change(ctx: MutationCtx, id: Id<"panes">, fields: Partial<Pane>) {
  const before = await ctx.db.get("panes", id);
  if (!before) return false;
  const { title, year, workshop } = { ...before, ...fields };
  const after = await complete(ctx, { title, year, workshop });
  if (after) await ctx.db.replace("panes", id, after);
  return after !== null;
}

function show({ _id: pane, workshop, title, year }: Doc<"panes">) {
  return { pane, workshop, title, year };
}

export const found = mutation({
  args: { name: v.string(), region: v.string() },
  returns: workshop,
  handler: async (ctx, args) => await ctx.db.insert("workshops", args),
});

export const enter = mutation({
  args: { workshop, panes: v.array(given) },
  returns: v.nullable(v.array(pane)),
  handler: async (ctx, args) => {
    if (!(await ctx.db.get("workshops", args.workshop))) return null;
    const ids = [];
    for (const each of args.panes) {
      const whole = await complete(ctx, { ...each, workshop: args.workshop });
      if (whole) ids.push(await ctx.db.insert("panes", whole));
    }
    return ids;
  },
});

export const inRegion = query({
  args: { region: v.string(), from: v.number(), to: v.number() },
  returns: v.array(shown),
  handler: async (ctx, { region, from, to }) => {
    const panes = ctx.db
      .query("panes")
      .withIndex("region", (q) => q.eq("find.inRegion", region).gte("year", from).lt("year", to));
    return (await panes.take(MOST)).map(show);
  },
});

export const titled = query({
  args: { start: v.string() },
  returns: v.array(shown),
  handler: async (ctx, args) => {
    const start = args.start.toLowerCase();
    const panes = ctx.db
      .query("panes")
      .withIndex("title", (q) => q.gte("find.lowerTitle", start))
      .order("asc");
    const found = [];
    for await (const each of panes) {
      if (found.length === MOST || !each.find.lowerTitle.startsWith(start)) break;
      found.push(show(each));
    }
    return found;
  },
});

export const rename = mutation({
  args: { pane, title: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { pane, title }) => await change(ctx, pane, { title }),
});

export const attribute = mutation({
  args: { pane, workshop },
  returns: v.boolean(),
  handler: async (ctx, { pane, workshop }) => await change(ctx, pane, { workshop }),
});

export const relocate = mutation({
  args: { workshop, region: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { workshop, region }) => {
    const maker = await ctx.db.get("workshops", workshop);
    if (!maker) return false;
    await ctx.db.patch("workshops", workshop, { region });
    const panes = await ctx.db
      .query("panes")
      .withIndex("workshop", (q) => q.eq("workshop", workshop))
      .collect();
    await Promise.all(panes.map((each) => change(ctx, each._id, {})));
    return true;
  },
});
