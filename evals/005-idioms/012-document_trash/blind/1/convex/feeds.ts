// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery } from "./_generated/server";
import type { Doc } from "./_generated/dataModel";

const MOST_FED = 10;
const ROWS = 25;

/** What was published last; null without the workspace's key. */
export const published = internalQuery({
  args: { key: v.string() },
  handler: async (ctx, { key }) => {
    const workspace = await ctx.db
      .query("workspaces")
      .withIndex("by_key", (q) => q.eq("key", key))
      .unique();
    if (workspace === null) return null;
    const rows: Doc<"documents">[] = [];
    for (const status of ["published", undefined] as const)
      rows.push(
        ...(await ctx.db
          .query("documents")
          .withIndex("by_status", (q) =>
            q.eq("workspace", workspace._id).eq("trash", undefined).eq("status", status),
          )
          .order("desc")
          .take(MOST_FED)),
      );
    return rows
      .toSorted((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, MOST_FED)
      .map(({ slug, title }) => ({ slug, title }));
  },
});

/** Some lines of the export, and the number after which the next ones come; null at the end. */
export const rows = internalQuery({
  args: { key: v.string(), after: v.number() },
  handler: async (ctx, { key, after }) => {
    const workspace = await ctx.db
      .query("workspaces")
      .withIndex("by_key", (q) => q.eq("key", key))
      .unique();
    if (workspace === null) return null;
    const documents = await ctx.db
      .query("documents")
      .withIndex("by_number", (q) =>
        q.eq("workspace", workspace._id).eq("trash", undefined).gt("number", after),
      )
      .take(ROWS);
    const lines = documents.map((row) =>
      [
        row.number,
        row.slug,
        row.title,
        row.ownerName,
        row.folderName ?? "",
        (row.tags ?? []).join(" "),
      ].join(";"),
    );
    return { lines, next: documents.at(-1)?.number ?? null };
  },
});
