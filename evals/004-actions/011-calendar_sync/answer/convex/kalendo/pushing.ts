// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation, internalQuery } from "../_generated/server";
import { changeEvent, removeEvent } from "../model/events";
import { request } from "./client";

/** After this time a request without an answer counts as lost. */
export const LOST_MS = 15 * 60 * 1000;

/** Tells Kalendo of the newest edit of an event, one request at a time. */
export const pushEdit = internalAction({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event }) => {
    const claim: { path: string; edit: string; fields: object } | null = await ctx.runMutation(
      internal.kalendo.pushing.claimEdit,
      { event },
    );
    if (claim === null) return null;
    const { path, edit, fields } = claim;
    let version: number | "unknown" | "gone" = "unknown";
    try {
      const response = await request("PUT", path, fields);
      if (response.status === 404) version = "gone";
      if (response.status === 200) {
        version = ((await response.json()) as { version: number }).version;
      }
    } catch (error) {
      console.warn("Kalendo", path, error);
    }
    await ctx.runMutation(internal.kalendo.pushing.finishEdit, { event, edit, version });
    return null;
  },
});

export const claimEdit = internalMutation({
  args: { event: v.id("events") },
  handler: async (ctx, { event: id }) => {
    const event = await ctx.db.get("events", id);
    if (event?.remote === undefined || event.edit === undefined) return null;
    const now = Date.now();
    if (event.pushedAt !== undefined && now < event.pushedAt + LOST_MS) return null;
    await ctx.db.patch("events", id, { pushedAt: now });
    const { title, start, end } = event;
    const path = `/events/${encodeURIComponent(event.remote)}`;
    return { path, edit: event.edit, fields: { title, start, end } };
  },
});

export const finishEdit = internalMutation({
  args: {
    event: v.id("events"),
    edit: v.string(),
    version: v.union(v.number(), v.literal("unknown"), v.literal("gone")),
  },
  returns: v.null(),
  handler: async (ctx, { event: id, edit, version }) => {
    const event = await ctx.db.get("events", id);
    if (event === null) return null;
    if (version === "gone") {
      await removeEvent(ctx, event);
      return null;
    }
    if (version === "unknown") {
      await ctx.db.patch("events", id, { pushedAt: undefined });
      return null;
    }
    const isNewest = event.edit === edit;
    await changeEvent(ctx, event, {
      version: Math.max(version, event.version ?? 0),
      pushedAt: undefined,
      ...(isNewest ? { edit: undefined } : {}),
    });
    if (!isNewest && event.edit !== undefined) {
      await ctx.scheduler.runAfter(0, internal.kalendo.pushing.pushEdit, { event: id });
    }
    return null;
  },
});

export const pushRemoval = internalAction({
  args: { removal: v.id("removals") },
  returns: v.null(),
  handler: async (ctx, { removal }) => {
    const remote: string | null = await ctx.runQuery(internal.kalendo.pushing.unconfirmed, {
      removal,
    });
    if (remote === null) return null;
    const { status } = await request("DELETE", `/events/${encodeURIComponent(remote)}`);
    if (status === 200 || status === 404) {
      await ctx.runMutation(internal.kalendo.pushing.confirmRemoval, { removal });
    }
    return null;
  },
});

export const unconfirmed = internalQuery({
  args: { removal: v.id("removals") },
  returns: v.nullable(v.string()),
  handler: async (ctx, { removal: id }) => {
    const removal = await ctx.db.get("removals", id);
    return removal === null || removal.isConfirmed ? null : removal.remote;
  },
});

export const confirmRemoval = internalMutation({
  args: { removal: v.id("removals") },
  returns: v.null(),
  handler: async (ctx, { removal: id }) => {
    const removal = await ctx.db.get("removals", id);
    if (removal !== null) await ctx.db.patch("removals", id, { isConfirmed: true });
    return null;
  },
});
