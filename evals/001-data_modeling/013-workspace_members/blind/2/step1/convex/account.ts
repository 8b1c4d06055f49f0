// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { findPerson, requireUser } from "./lib/access";
import {
  changeName,
  changeRole,
  countMembers,
  findHeir,
  hasOwner,
  listWorkspaces,
  openRoster,
  removeMember,
  storeRoster,
} from "./lib/members";
import { unassign } from "./pages";

/** Tells one's name, or a new one: all workspaces show it from now on. */
export const setName = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    const { user } = await requireUser(ctx);
    const person = await findPerson(ctx, user);
    if (person === null) await ctx.db.insert("people", { user, name });
    else await ctx.db.patch("people", person._id, { name });
    for (const { workspace, me } of await listWorkspaces(ctx, user)) {
      const roster = openRoster(workspace);
      await changeName(ctx, roster, me, name);
      await storeRoster(ctx, roster);
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
    for (const { workspace, me } of await listWorkspaces(ctx, user)) {
      await unassign(ctx, workspace._id, user);
      const roster = openRoster(workspace);
      await removeMember(ctx, roster, me);
      if (countMembers(workspace) === 1) {
        await ctx.db.delete("workspaces", workspace._id);
        continue;
      }
      if (!(await hasOwner(ctx, roster))) {
        const heir = await findHeir(ctx, roster);
        if (heir !== undefined) await changeRole(ctx, roster, heir, "owner");
      }
      await storeRoster(ctx, roster);
    }
    return null;
  },
});
