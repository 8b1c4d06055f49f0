// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { moveTime, openProject } from "./model/time";

export const create = mutation({
  args: { client: v.id("clients"), name: v.string() },
  returns: v.id("projects"),
  handler: async (ctx, { client, name }) => {
    if ((await ctx.db.get("clients", client)) === null) throw new ConvexError("no_client");
    return await ctx.db.insert("projects", { client, name, state: "open", minutes: 0, unbilled: 0 });
  },
});

export const get = query({
  args: { project: v.id("projects") },
  returns: v.union(
    v.null(),
    v.object({
      name: v.string(),
      state: v.string(),
      minutes: v.number(),
      unbilled: v.number(),
      note: v.union(v.string(), v.null()),
    }),
  ),
  handler: async (ctx, args) => {
    const project = await ctx.db.get("projects", args.project);
    if (project === null) return null;
    const { name, state, minutes, unbilled, note } = project;
    return { name, state, minutes, unbilled, note: note ?? null };
  },
});

export const close = mutation({
  args: { project: v.id("projects") },
  returns: v.null(),
  handler: async (ctx, { project }) => {
    await openProject(ctx, project);
    await ctx.db.patch("projects", project, { state: "closed" });
    return null;
  },
});

/**
 * Moves what is on no invoice (at most 300 entries) from one project to another of the same client,
 * and closes the first. A note is put below the other's note.
 */
export const merge = mutation({
  args: { from: v.id("projects"), into: v.id("projects"), note: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, args) => {
    if (args.from === args.into) throw new ConvexError("same_project");
    const [from, into] = [await openProject(ctx, args.from), await openProject(ctx, args.into)];
    if (from.client !== into.client) throw new ConvexError("other_client");
    const entries = await ctx.db
      .query("entries")
      .withIndex("by_project_and_invoice", (q) => q.eq("project", from._id).eq("invoice", undefined))
      .take(301);
    if (entries.length > 300) throw new ConvexError("too_many_entries");
    for (const entry of entries) {
      await moveTime(ctx, entry, from, into);
    }
    await ctx.db.patch("projects", from._id, { state: "closed" });
    if (args.note !== undefined) {
      const note = into.note === undefined ? args.note : `${into.note}\n${args.note}`;
      await ctx.db.patch("projects", into._id, { note });
    }
    return null;
  },
});
