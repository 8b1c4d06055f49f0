// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import { piece as pieceFields, planned } from "./schema";

const ROOM_C = 20;

type Heat = { nowC: number; topC: number; minutes: number };

function after(heat: Heat, segment: Doc<"firings">["schedule"][number]): Heat {
  if ("minutes" in segment) {
    return { ...heat, minutes: heat.minutes + segment.minutes };
  }
  const hours = Math.abs(segment.toC - heat.nowC) / segment.perHour;
  return {
    nowC: segment.toC,
    topC: Math.max(heat.topC, segment.toC),
    minutes: heat.minutes + hours * 60,
  };
}

export const plan = mutation({
  args: planned,
  handler: async (ctx, args) => await ctx.db.insert("firings", { ...args, shelves: {} }),
});

export const setShelf = mutation({
  args: { firing: v.id("firings"), shelf: v.string(), heightMm: v.number() },
  handler: async (ctx, { firing, shelf, heightMm }) => {
    const found = await ctx.db.get("firings", firing);
    if (found === null) {
      return false;
    }
    const pieces = found.shelves[shelf]?.pieces ?? {};
    await ctx.db.patch("firings", firing, {
      shelves: { ...found.shelves, [shelf]: { heightMm, pieces } },
    });
    return true;
  },
});

export const place = mutation({
  args: { firing: v.id("firings"), shelf: v.string(), piece: v.string(), ...pieceFields },
  handler: async (ctx, { firing, shelf, piece, glaze, coats }) => {
    const found = await ctx.db.get("firings", firing);
    const target = found?.shelves[shelf];
    if (!found || !target) {
      return false;
    }
    const pieces = { ...target.pieces, [piece]: { glaze, coats } };
    await ctx.db.patch("firings", firing, {
      shelves: { ...found.shelves, [shelf]: { ...target, pieces } },
    });
    return true;
  },
});

export const take = mutation({
  args: { firing: v.id("firings"), shelf: v.string(), piece: v.string() },
  handler: async (ctx, { firing, shelf, piece }) => {
    const found = await ctx.db.get("firings", firing);
    const target = found?.shelves[shelf];
    if (!found || !target || !Object.hasOwn(target.pieces, piece)) {
      return false;
    }
    const pieces = Object.fromEntries(
      Object.entries(target.pieces).filter(([mark]) => mark !== piece),
    );
    await ctx.db.patch("firings", firing, {
      shelves: { ...found.shelves, [shelf]: { ...target, pieces } },
    });
    return true;
  },
});

export const summary = query({
  args: { firing: v.id("firings") },
  handler: async (ctx, { firing }) => {
    const found = await ctx.db.get("firings", firing);
    if (found === null) {
      return null;
    }
    const { topC, minutes } = found.schedule.reduce(after, { nowC: ROOM_C, topC: ROOM_C, minutes: 0 });
    const pieces = Object.values(found.shelves).flatMap((shelf) => Object.values(shelf.pieces));
    const coatsOf = new Map<string, number>();
    for (const { glaze, coats } of pieces) {
      if (glaze !== null) {
        coatsOf.set(glaze, (coatsOf.get(glaze) ?? 0) + coats);
      }
    }
    const glazes = [...coatsOf].map(([glaze, coats]) => ({ glaze, coats }));
    return { topC, minutes, pieces: pieces.length, glazes };
  },
});
