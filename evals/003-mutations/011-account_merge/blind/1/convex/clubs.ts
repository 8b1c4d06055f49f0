// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireRider } from "./lib/session";
import { currentId } from "./model/accounts";
import { endMembership, expel, findBan, findMembership, requireRole } from "./model/clubs";
import { role } from "./schema";

export const create = mutation({
  args: { name: v.string() },
  returns: v.id("clubs"),
  handler: async (ctx, { name }) => {
    const { _id: rider } = await requireRider(ctx);
    const club = await ctx.db.insert("clubs", { name, owner: rider, size: 1 });
    await ctx.db.insert("memberships", { club, rider, role: "admin" });
    return club;
  },
});

export const join = mutation({
  args: { club: v.id("clubs") },
  returns: v.null(),
  handler: async (ctx, { club: id }) => {
    const { _id: rider } = await requireRider(ctx);
    const club = (await ctx.db.get("clubs", id)) ?? refuse("not_found");
    if ((await findBan(ctx, id, rider)) !== null) refuse("banned");
    if ((await findMembership(ctx, id, rider)) !== null) refuse("already");
    await ctx.db.insert("memberships", { club: id, rider, role: "member" });
    await ctx.db.patch("clubs", id, { size: club.size + 1 });
    return null;
  },
});

export const leave = mutation({
  args: { club: v.id("clubs") },
  returns: v.null(),
  handler: async (ctx, { club: id }) => {
    const { _id: rider } = await requireRider(ctx);
    const club = (await ctx.db.get("clubs", id)) ?? refuse("not_found");
    if (club.owner === rider) refuse("owner");
    if ((await findMembership(ctx, id, rider)) === null) refuse("not_member");
    await endMembership(ctx, club, rider);
    return null;
  },
});

/** The first members of a club. */
export const members = query({
  args: { club: v.id("clubs") },
  returns: v.object({
    size: v.number(),
    owner: v.id("riders"),
    members: v.array(v.object({ rider: v.id("riders"), name: v.string(), role })),
  }),
  handler: async (ctx, { club: id }) => {
    const club = (await ctx.db.get("clubs", id)) ?? refuse("not_found");
    const memberships = await ctx.db
      .query("memberships")
      .withIndex("by_club_and_rider", (q) => q.eq("club", id))
      .take(100);
    const shown = [];
    for (const membership of memberships) {
      const rider = await ctx.db.get("riders", membership.rider);
      if (rider !== null) shown.push({ rider: rider._id, name: rider.name, role: membership.role });
    }
    return { size: club.size, owner: club.owner, members: shown };
  },
});

export const setRole = mutation({
  args: { club: v.id("clubs"), rider: v.id("riders"), role },
  returns: v.null(),
  handler: async (ctx, { club: id, rider: given, role: wanted }) => {
    const me = await requireRider(ctx);
    const rider = await currentId(ctx, given);
    const club = (await ctx.db.get("clubs", id)) ?? refuse("not_found");
    await requireRole(ctx, id, me._id, "admin");
    if (club.owner === rider) refuse("owner");
    const membership = (await findMembership(ctx, id, rider)) ?? refuse("not_member");
    await ctx.db.patch("memberships", membership._id, { role: wanted });
    return null;
  },
});

/** Makes another member the owner. The former owner stays an admin. */
export const handOver = mutation({
  args: { club: v.id("clubs"), rider: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, { club: id, rider: given }) => {
    const me = await requireRider(ctx);
    const rider = await currentId(ctx, given);
    const club = (await ctx.db.get("clubs", id)) ?? refuse("not_found");
    if (club.owner !== me._id) refuse("not_allowed");
    const membership = (await findMembership(ctx, id, rider)) ?? refuse("not_member");
    await ctx.db.patch("memberships", membership._id, { role: "admin" });
    await ctx.db.patch("clubs", id, { owner: rider });
    return null;
  },
});

export const ban = mutation({
  args: { club: v.id("clubs"), rider: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, { club: id, rider: given }) => {
    const me = await requireRider(ctx);
    const rider = await currentId(ctx, given);
    const club = (await ctx.db.get("clubs", id)) ?? refuse("not_found");
    await requireRole(ctx, id, me._id, "admin");
    if (club.owner === rider) refuse("owner");
    if ((await findBan(ctx, id, rider)) !== null) refuse("already");
    await expel(ctx, club, rider);
    await ctx.db.insert("bans", { club: id, rider });
    return null;
  },
});

export const unban = mutation({
  args: { club: v.id("clubs"), rider: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, { club, rider: given }) => {
    const me = await requireRider(ctx);
    const rider = await currentId(ctx, given);
    await requireRole(ctx, club, me._id, "admin");
    const banned = (await findBan(ctx, club, rider)) ?? refuse("not_found");
    await ctx.db.delete("bans", banned._id);
    return null;
  },
});
