// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import { loaderOf } from "./lib/loader";
import { timeChanged } from "./model/hooks";
import { moveTime, openProject, storeTime, timeRow } from "./model/time";

export const log = mutation({
  args: timeRow.fields,
  returns: v.id("entries"),
  handler: async (ctx, row) => await storeTime(ctx, row),
});

/** Logs up to 200 rows, all or none. The ids are in the order of the rows. */
export const logWeek = mutation({
  args: { rows: v.array(timeRow) },
  returns: v.array(v.id("entries")),
  handler: async (ctx, { rows }) => {
    if (rows.length > 200) throw new ConvexError("too_many_rows");
    const entries: Id<"entries">[] = [];
    // One after the other: each row adds to figures that the row before it has changed.
    for (const row of rows) entries.push(await storeTime(ctx, row));
    return entries;
  },
});

/** Deletes entries; those on an invoice stay, and so do all if one of them is. */
export const remove = mutation({
  args: { entries: v.array(v.id("entries")) },
  returns: v.null(),
  handler: async (ctx, args) => {
    for (const id of new Set(args.entries)) {
      const entry = await ctx.db.get("entries", id);
      if (entry === null) continue;
      if (entry.invoice !== undefined) throw new ConvexError("on_invoice");
      const project = await ctx.db.get("projects", entry.project);
      if (project === null) throw new ConvexError("no_project");
      const { member, day, minutes, amount } = entry;
      await ctx.db.delete("entries", id);
      await timeChanged(ctx, { project, member, day, minutes: -minutes, amount: -amount });
    }
    return null;
  },
});

/** Moves an entry to another open project, which may be another client's. */
export const move = mutation({
  args: { entry: v.id("entries"), to: v.id("projects") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const entry = await ctx.db.get("entries", args.entry);
    if (entry === null) throw new ConvexError("no_entry");
    if (entry.invoice !== undefined) throw new ConvexError("on_invoice");
    const from = await ctx.db.get("projects", entry.project);
    if (from === null) throw new ConvexError("no_project");
    await moveTime(ctx, entry, from, await openProject(ctx, args.to));
    return null;
  },
});

/** The latest entries of a project, with who did the work. */
export const ofProject = query({
  args: { project: v.id("projects") },
  returns: v.array(
    v.object({ day: v.string(), minutes: v.number(), amount: v.number(), member: v.string() }),
  ),
  handler: async (ctx, { project }) => {
    const load = loaderOf(ctx, "members");
    const entries = await ctx.db
      .query("entries")
      .withIndex("by_project_and_invoice", (q) => q.eq("project", project))
      .order("desc")
      .take(100);
    return await Promise.all(
      entries.map(async ({ day, minutes, amount, member }) => ({
        day,
        minutes,
        amount,
        member: (await load(member))?.name ?? "?",
      })),
    );
  },
});
