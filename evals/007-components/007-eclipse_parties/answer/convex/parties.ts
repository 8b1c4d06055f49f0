// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { Presence } from "@convex-dev/presence";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";

const HEARTBEAT_MS = 8000;
const presence = new Presence<Id<"parties">>(components.presence);

async function caller(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw new ConvexError("not signed in");
  }
  return identity.tokenIdentifier;
}

async function partyOf(ctx: QueryCtx, id: Id<"parties">): Promise<Doc<"parties">> {
  const party = await ctx.db.get("parties", id);
  if (party === null) {
    throw new ConvexError("no such party");
  }
  return party;
}

export const open = mutation({
  args: { title: v.string() },
  returns: v.id("parties"),
  handler: async (ctx, { title }) => {
    const host = await caller(ctx);
    return await ctx.db.insert("parties", { title, host });
  },
});

export const heartbeat = mutation({
  args: { party: v.id("parties"), session: v.string() },
  returns: v.object({ roomToken: v.string(), sessionToken: v.string() }),
  handler: async (ctx, { party, session }) => {
    const user = await caller(ctx);
    await partyOf(ctx, party);
    const sessionId = JSON.stringify([party, user, session]);
    return await presence.heartbeat(ctx, party, user, sessionId, HEARTBEAT_MS);
  },
});

export const watchers = query({
  args: { roomToken: v.string() },
  returns: v.array(v.object({ user: v.string(), online: v.boolean() })),
  handler: async (ctx, { roomToken }) => {
    const users = await presence.list(ctx, roomToken);
    return users.map(({ userId, online }) => ({ user: userId, online }));
  },
});

export const leave = mutation({
  args: { sessionToken: v.string() },
  returns: v.null(),
  handler: async (ctx, { sessionToken }) => {
    await presence.disconnect(ctx, sessionToken);
    return null;
  },
});

export const mine = query({
  args: {},
  returns: v.array(v.string()),
  handler: async (ctx) => {
    const rooms = await presence.listUser(ctx, await caller(ctx), true);
    const parties = await Promise.all(rooms.map(({ roomId }) => ctx.db.get("parties", roomId)));
    return parties.flatMap((party) => (party === null ? [] : [party.title])).sort();
  },
});

export const close = mutation({
  args: { party: v.id("parties") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const user = await caller(ctx);
    const party = await partyOf(ctx, args.party);
    if (party.host !== user) {
      throw new ConvexError("not your party");
    }
    await presence.removeRoom(ctx, party._id);
    await ctx.db.delete("parties", party._id);
    return null;
  },
});
