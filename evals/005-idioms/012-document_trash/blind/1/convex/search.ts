// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireMember } from "./model/access";
import { showDocument, shownDocument } from "./model/shown";

const MOST_FOUND = 10;
const MOST_TITLES = 5;

export const find = query({
  args: { workspace: v.id("workspaces"), text: v.string() },
  returns: v.array(shownDocument),
  handler: async (ctx, { workspace, text }) => {
    await requireMember(ctx, workspace);
    // Documents in the trash have an empty body: none is among the matches.
    const documents = await ctx.db
      .query("documents")
      .withSearchIndex("search_body", (q) => q.search("body", text).eq("workspace", workspace))
      .take(MOST_FOUND);
    return documents.filter(({ trash }) => trash === undefined).map(showDocument);
  },
});

/** For the field in which [[references]] are written: titles that begin like this. */
export const titles = query({
  args: { workspace: v.id("workspaces"), start: v.string() },
  returns: v.array(v.object({ slug: v.string(), title: v.string() })),
  handler: async (ctx, { workspace, start }) => {
    await requireMember(ctx, workspace);
    const documents = await ctx.db
      .query("documents")
      .withIndex("by_title", (q) =>
        q
          .eq("workspace", workspace)
          .eq("trash", undefined)
          .gte("title", start)
          .lt("title", `${start}\uffff`),
      )
      .take(MOST_TITLES);
    return documents.map(({ slug, title }) => ({ slug, title }));
  },
});
