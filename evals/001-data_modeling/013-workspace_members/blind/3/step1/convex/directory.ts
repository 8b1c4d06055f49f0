// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internalMutation, internalQuery, type QueryCtx } from "./_generated/server";
import { nameOf } from "./lib/access";
import { addMember, countMembers, findMember, removeMember } from "./lib/members";
import { takesSeat } from "./lib/roles";
import { unassign } from "./pages";

/** What a company's directory reports, at most 50 people at once, see http.ts. */
export const changes = v.object({
  slug: v.string(),
  join: v.array(v.string()),
  leave: v.array(v.string()),
});

export type Changes = Infer<typeof changes>;

async function findBySlug(ctx: QueryCtx, slug: string) {
  return await ctx.db
    .query("workspaces")
    .withIndex("by_slug", (q) => q.eq("slug", slug))
    .unique();
}

/** Directories repeat themselves: who is in already, or is not in, is left alone; owners stay. */
export const apply = internalMutation({
  args: { changes },
  handler: async (ctx, { changes: { slug, join, leave } }) => {
    const workspace = await findBySlug(ctx, slug);
    if (workspace === null) return null;
    for (const user of new Set(leave)) {
      const found = await findMember(ctx, workspace, user);
      if (found === undefined || found.role === "owner") continue;
      await unassign(ctx, workspace._id, user);
      await removeMember(ctx, workspace._id, found);
    }
    const rest = (await ctx.db.get("workspaces", workspace._id)) ?? workspace;
    for (const user of new Set(join)) {
      if ((await findMember(ctx, rest, user)) !== undefined) continue;
      const name = await nameOf(ctx, user);
      await addMember(ctx, workspace._id, { user, name, role: "member", since: Date.now() });
    }
    return countMembers((await ctx.db.get("workspaces", workspace._id)) ?? rest).size;
  },
});

/** What a directory asks of one person. */
export const look = internalQuery({
  args: { slug: v.string(), user: v.string() },
  handler: async (ctx, { slug, user }) => {
    const workspace = await findBySlug(ctx, slug);
    const found = workspace === null ? undefined : await findMember(ctx, workspace, user);
    if (found === undefined) return null;
    return { role: found.role, since: found.since, seat: takesSeat(found.role) };
  },
});
