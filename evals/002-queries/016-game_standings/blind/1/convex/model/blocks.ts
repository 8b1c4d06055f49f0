// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { BEST_GAMES, MAX_POINTS } from "../constants";

// A board is cut into blocks of neighbouring places, each with the number of its players. The blocks
// of level 1 hold players, those of a level above hold blocks of the level below. A block reaches
// from its own `from` up to that of the next block of its level; what begins a block begins one on
// each level below, too, and the first block of each level begins at "". Whoever moves within a
// block changes nothing of it, so that players who are far apart do not wait for each other.

export const LEVELS = 5;
/** The players or blocks that a block holds at most. */
const SIZE = 16;
/** A block that holds no more than this is joined with a neighbour, */
const SMALL = 4;
/** if both hold no more than this. */
const JOINED = 12;

const MAX_SCORE = BEST_GAMES * MAX_POINTS;
const DIGITS = String(MAX_SCORE).length;
/** Comes after all places. */
export const END = "~";

/** The place of a player as a text that sorts like the board; without a name it comes before all. */
export function placeOf(score: number, name: string): string {
  return `${String(MAX_SCORE - score).padStart(DIGITS, "0")} ${name}`;
}

export function scoreAt(place: string): number {
  return MAX_SCORE - Number(place.slice(0, DIGITS));
}

/** The board of a country, or of the world. */
export function boardOf(country: string | undefined): string {
  return country === undefined ? "world" : `country ${country}`;
}

export function playersBetween(
  ctx: QueryCtx,
  country: string | undefined,
  from: string,
  to: string,
) {
  const players = ctx.db.query("players");
  return country === undefined
    ? players.withIndex("by_place", (q) => q.gte("place", from).lt("place", to))
    : players.withIndex("by_country", (q) =>
        q.eq("country", country).gte("place", from).lt("place", to),
      );
}

export async function blocksBetween(
  ctx: QueryCtx,
  board: string,
  level: number,
  from: string,
  to: string,
): Promise<Doc<"blocks">[]> {
  return await ctx.db
    .query("blocks")
    .withIndex("by_board", (q) =>
      q.eq("board", board).eq("level", level).gte("from", from).lt("from", to),
    )
    .collect();
}

function blockAt(ctx: QueryCtx, board: string, level: number, place: string) {
  return ctx.db
    .query("blocks")
    .withIndex("by_board", (q) => q.eq("board", board).eq("level", level).lte("from", place))
    .order("desc")
    .first();
}

function nextBlock(ctx: QueryCtx, { board, level, from }: Doc<"blocks">) {
  return ctx.db
    .query("blocks")
    .withIndex("by_board", (q) => q.eq("board", board).eq("level", level).gt("from", from))
    .first();
}

function previousBlock(ctx: QueryCtx, { board, level, from }: Doc<"blocks">) {
  return ctx.db
    .query("blocks")
    .withIndex("by_board", (q) => q.eq("board", board).eq("level", level).lt("from", from))
    .order("desc")
    .first();
}

async function beginsBlock(ctx: QueryCtx, board: string, level: number, from: string) {
  const block = await ctx.db
    .query("blocks")
    .withIndex("by_board", (q) => q.eq("board", board).eq("level", level).eq("from", from))
    .unique();
  return block !== null;
}

type Part = { from: string; count: number };

/** The players or blocks that a block holds, in their order. */
async function partsOf(
  ctx: QueryCtx,
  country: string | undefined,
  block: Doc<"blocks">,
): Promise<Part[]> {
  const end = (await nextBlock(ctx, block))?.from ?? END;
  if (block.level > 1)
    return await blocksBetween(ctx, block.board, block.level - 1, block.from, end);
  const players = await playersBetween(ctx, country, block.from, end).collect();
  return players.flatMap(({ place }) => (place === undefined ? [] : [{ from: place, count: 1 }]));
}

async function sizeOf(ctx: QueryCtx, country: string | undefined, block: Doc<"blocks">) {
  if (block.level === 1) return block.count;
  return (await partsOf(ctx, country, block)).length;
}

/** Cuts the block of a place in two if it holds too much, and then those above it. */
async function split(
  ctx: MutationCtx,
  country: string | undefined,
  level: number,
  place: string,
): Promise<void> {
  const block = await blockAt(ctx, boardOf(country), level, place);
  if (block === null || (level === 1 && block.count <= SIZE)) return;
  const parts = await partsOf(ctx, country, block);
  if (parts.length <= SIZE) return;
  const upper = parts.slice(Math.ceil(parts.length / 2));
  const [first] = upper;
  if (first === undefined) return;
  const count = upper.reduce((sum, part) => sum + part.count, 0);
  await ctx.db.patch("blocks", block._id, { count: block.count - count });
  await ctx.db.insert("blocks", { board: block.board, level, from: first.from, count });
  if (level < LEVELS) await split(ctx, country, level + 1, place);
}

/**
 * Joins the block of a place with a neighbour if it holds little, and then those above it. Tells
 * whether it did.
 */
async function join(
  ctx: MutationCtx,
  country: string | undefined,
  level: number,
  place: string,
): Promise<boolean> {
  const board = boardOf(country);
  const block = await blockAt(ctx, board, level, place);
  if (block === null) return false;
  const size = await sizeOf(ctx, country, block);
  if (size > SMALL) return false;
  let alone = true;
  for (const other of [await nextBlock(ctx, block), await previousBlock(ctx, block)]) {
    if (other === null) continue;
    const [lower, upper] = block.from < other.from ? [block, other] : [other, block];
    // Only blocks that one block above holds.
    if (level < LEVELS && (await beginsBlock(ctx, board, level + 1, upper.from))) continue;
    alone = false;
    if (size > 0 && size + (await sizeOf(ctx, country, other)) > JOINED) continue;
    await ctx.db.patch("blocks", lower._id, { count: lower.count + upper.count });
    await ctx.db.delete("blocks", upper._id);
    if (level < LEVELS) await join(ctx, country, level + 1, place);
    return true;
  }
  if (!alone || level === LEVELS) return false;
  const joined = await join(ctx, country, level + 1, place);
  return joined && (await join(ctx, country, level, place));
}

/**
 * Counts that somebody went from one place of a board to another; undefined is no place. The player
 * is there already.
 */
export async function countMove(
  ctx: MutationCtx,
  country: string | undefined,
  before: string | undefined,
  after: string | undefined,
): Promise<void> {
  if (before === after) return;
  const board = boardOf(country);
  for (let level = 1; level <= LEVELS; level++) {
    const left = before === undefined ? null : await blockAt(ctx, board, level, before);
    const entered = after === undefined ? null : await blockAt(ctx, board, level, after);
    if (left !== null && left._id === entered?._id) {
      // The blocks above are the same, too.
      if (level === 1) return;
      break;
    }
    if (left !== null) await ctx.db.patch("blocks", left._id, { count: left.count - 1 });
    if (entered !== null) await ctx.db.patch("blocks", entered._id, { count: entered.count + 1 });
    else if (after !== undefined)
      await ctx.db.insert("blocks", { board, level, from: "", count: 1 });
  }
  if (after !== undefined) await split(ctx, country, 1, after);
  if (before !== undefined) await join(ctx, country, 1, before);
}
