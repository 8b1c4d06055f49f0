// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx } from "./_generated/server";
import { atmosphere, cones, piece as pieceValidator, schedule, type shelf } from "./shapes";

type Shelf = Infer<typeof shelf>;

async function change(
  ctx: MutationCtx,
  id: Id<"firings">,
  apply: (shelves: Map<string, Shelf>) => boolean,
): Promise<boolean> {
  const found = await ctx.db.get("firings", id);
  if (!found) return false;
  const shelves = new Map<string, Shelf>(Object.entries(structuredClone(found.shelves)));
  if (!apply(shelves)) return false;
  const { _id, _creationTime, ...fields } = found;
  await ctx.db.replace("firings", _id, { ...fields, shelves: Object.fromEntries(shelves) });
  return true;
}

export const plan = mutation({
  args: { kiln: v.string(), atmosphere, schedule, cones },
  returns: v.id("firings"),
  handler: async (ctx, args) => await ctx.db.insert("firings", { shelves: {}, ...args }),
});

export const setShelf = mutation({
  args: { firing: v.id("firings"), shelf: v.string(), heightMm: v.number() },
  returns: v.boolean(),
  handler: async (ctx, args) =>
    await change(ctx, args.firing, (shelves) => {
      const pieces = shelves.get(args.shelf)?.pieces ?? {};
      shelves.set(args.shelf, { heightMm: args.heightMm, pieces });
      return true;
    }),
});

export const place = mutation({
  args: { firing: v.id("firings"), shelf: v.string(), piece: v.string(), ...pieceValidator.fields },
  returns: v.boolean(),
  handler: async (ctx, { firing, shelf, piece, ...rest }) =>
    await change(ctx, firing, (shelves) => {
      const target = shelves.get(shelf);
      if (target) target.pieces[piece] = rest;
      return target !== undefined;
    }),
});

export const take = mutation({
  args: { firing: v.id("firings"), shelf: v.string(), piece: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { firing, shelf, piece }) =>
    await change(ctx, firing, (shelves) => {
      const target = shelves.get(shelf);
      if (target === undefined || !(piece in target.pieces)) return false;
      delete target.pieces[piece];
      return true;
    }),
});

function heat(segments: Doc<"firings">["schedule"]) {
  const reached = [20];
  let minutes = 0;
  for (const segment of segments) {
    switch (segment.kind) {
      case "ramp":
        minutes += (60 * Math.abs(segment.toC - reached[reached.length - 1])) / segment.perHour;
        reached.push(segment.toC);
        break;
      case "hold":
        minutes += segment.minutes;
    }
  }
  return { topC: Math.max(...reached), minutes };
}

export const summary = query({
  args: { firing: v.id("firings") },
  returns: v.nullable(
    v.object({
      topC: v.number(),
      minutes: v.number(),
      pieces: v.number(),
      glazes: v.array(v.object({ glaze: v.string(), coats: v.number() })),
    }),
  ),
  handler: async (ctx, args) => {
    const firing = await ctx.db.get("firings", args.firing);
    if (!firing) return null;
    const glazes: { glaze: string; coats: number }[] = [];
    let count = 0;
    for (const each of Object.values(firing.shelves)) {
      for (const { glaze, coats } of Object.values(each.pieces)) {
        count += 1;
        if (glaze === null) continue;
        const known = glazes.find((entry) => entry.glaze === glaze);
        if (known) known.coats += coats;
        else glazes.push({ glaze, coats });
      }
    }
    return { ...heat(firing.schedule), pieces: count, glazes };
  },
});
