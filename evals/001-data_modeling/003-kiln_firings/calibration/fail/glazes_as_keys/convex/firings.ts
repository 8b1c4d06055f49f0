// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { piece as pieceFields, planned } from "./schema";

const ROOM_C = 20;

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
    if (!found || !target?.pieces[piece]) {
      return false;
    }
    const { [piece]: _taken, ...pieces } = target.pieces;
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
    let [nowC, topC, minutes] = [ROOM_C, ROOM_C, 0];
    for (const segment of found.schedule) {
      if (segment.kind === "hold") {
        minutes += segment.minutes;
      } else {
        minutes += (Math.abs(segment.toC - nowC) / segment.perHour) * 60;
        nowC = segment.toC;
        topC = Math.max(topC, nowC);
      }
    }
    const pieces = Object.values(found.shelves).flatMap((shelf) => Object.values(shelf.pieces));
    const glazes: Record<string, number> = {};
    for (const { glaze, coats } of pieces) {
      if (glaze !== null) {
        glazes[glaze] = (glazes[glaze] ?? 0) + coats;
      }
    }
    return { topC, minutes, pieces: pieces.length, glazes };
  },
});
