// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internalMutation, internalQuery, type QueryCtx } from "./_generated/server";
import { nameOf } from "./lib/access";
import { findMember, type Member } from "./lib/members";
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
    const leaving = new Set(leave);
    const members: Member[] = [];
    for (const each of workspace.members) {
      if (leaving.has(each.user) && each.role !== "owner") {
        await unassign(ctx, workspace._id, each.user);
      } else {
        members.push(each);
      }
    }
    for (const user of join) {
      if (members.some((each) => each.user === user)) continue;
      members.push({ user, name: await nameOf(ctx, user), role: "member", since: Date.now() });
    }
    await ctx.db.patch("workspaces", workspace._id, { members });
    return members.length;
  },
});

/** What a directory asks of one person. */
export const look = internalQuery({
  args: { slug: v.string(), user: v.string() },
  handler: async (ctx, { slug, user }) => {
    const workspace = await findBySlug(ctx, slug);
    const found = workspace === null ? undefined : findMember(workspace, user);
    if (found === undefined) return null;
    return { role: found.role, since: found.since, seat: takesSeat(found.role) };
  },
});
