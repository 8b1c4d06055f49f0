// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { tell } from "../activity";
import { fail } from "../lib/errors";
import { mayGive } from "../lib/roles";
import { role } from "../schema";
import { addressOf, findByAddress, requireUser } from "../users/find";
import { changeRole, enter, getMember, getOpen, leave, requireMember } from "./roster";

export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ user: v.id("users"), role })),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const members = await ctx.db
      .query("members")
      .withIndex("by_workspace_and_user", (q) => q.eq("workspace", workspace))
      .take(500);
    return members.map((member) => ({ user: member.user, role: member.role }));
  },
});

/** Make somebody a member who has an account. */
export const add = mutation({
  args: { workspace: v.id("workspaces"), email: v.string(), role },
  returns: v.null(),
  handler: async (ctx, args) => {
    const own = await requireMember(ctx, args.workspace);
    if (!mayGive(own.role, args.role)) {
      throw fail("not_allowed");
    }
    const user = await findByAddress(ctx, args.email);
    const workspace = await getOpen(ctx, args.workspace);
    if (user === null || workspace === null) {
      throw fail("not_found");
    }
    await enter(ctx, workspace, user._id, args.role);
    await tell(ctx, args.workspace, `${user.name} was added`);
    return null;
  },
});

export const setRole = mutation({
  args: { workspace: v.id("workspaces"), user: v.id("users"), role },
  returns: v.null(),
  handler: async (ctx, args) => {
    const own = await requireMember(ctx, args.workspace);
    const member = await getMember(ctx, args.workspace, args.user);
    if (member === null) {
      throw fail("not_found");
    }
    if (!mayGive(own.role, member.role) || !mayGive(own.role, args.role)) {
      throw fail("not_allowed");
    }
    await changeRole(ctx, member, args.role);
    return null;
  },
});

/** Take somebody out; everybody may take themselves out. */
export const remove = mutation({
  args: { workspace: v.id("workspaces"), user: v.id("users") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const own = await requireMember(ctx, args.workspace);
    const member = await getMember(ctx, args.workspace, args.user);
    if (member === null) {
      throw fail("not_found");
    }
    if (own._id !== member._id && !mayGive(own.role, member.role)) {
      throw fail("not_allowed");
    }
    await leave(ctx, member);
    return null;
  },
});

/** Enter a workspace that is open to everybody with an address of its domain. */
export const enterByDomain = mutation({
  args: { workspace: v.id("workspaces") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const user = await requireUser(ctx);
    const workspace = await getOpen(ctx, args.workspace);
    const domain = addressOf(user)?.split("@")[1];
    if (workspace?.domain === undefined || workspace.domain !== domain) {
      throw fail("not_allowed");
    }
    await enter(ctx, workspace, user._id, "member");
    await tell(ctx, workspace._id, `${user.name} entered`);
    return null;
  },
});
