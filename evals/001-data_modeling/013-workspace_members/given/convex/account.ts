// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { findPerson, requireUser } from "./lib/access";
import { findMember } from "./lib/members";
import { unassign } from "./pages";

/** Tells one's name, or a new one: all workspaces show it from now on. */
export const setName = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    const { user } = await requireUser(ctx);
    const person = await findPerson(ctx, user);
    if (person === null) await ctx.db.insert("people", { user, name });
    else await ctx.db.patch("people", person._id, { name });
    for await (const workspace of ctx.db.query("workspaces")) {
      if (findMember(workspace, user) === undefined) continue;
      const members = workspace.members.map((each) =>
        each.user === user ? { ...each, name } : each,
      );
      await ctx.db.patch("workspaces", workspace._id, { members });
    }
    return null;
  },
});

/**
 * Closes the account: the caller leaves all workspaces. Where no owner is left, the first of the
 * admins becomes the owner, or the first of all; a workspace without members is deleted, though its
 * pages are kept for the support desk.
 */
export const close = mutation({
  args: {},
  handler: async (ctx) => {
    const { user } = await requireUser(ctx);
    const person = await findPerson(ctx, user);
    if (person !== null) await ctx.db.delete("people", person._id);
    for await (const workspace of ctx.db.query("workspaces")) {
      if (findMember(workspace, user) === undefined) continue;
      await unassign(ctx, workspace._id, user);
      const members = workspace.members.filter((each) => each.user !== user);
      if (members.length === 0) {
        await ctx.db.delete("workspaces", workspace._id);
        continue;
      }
      if (!members.some((each) => each.role === "owner")) {
        const heir = members.find((each) => each.role === "admin") ?? members[0];
        members[members.indexOf(heir)] = { ...heir, role: "owner" };
      }
      await ctx.db.patch("workspaces", workspace._id, { members });
    }
    return null;
  },
});
