// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { NEIGHBOURS, PAGE_SIZE } from "../constants";
import { blocksBetween, boardOf, END, LEVELS, placeOf, playersBetween, scoreAt } from "./blocks";
import { isSuspended, scoreOf } from "./scores";
import { findPlayer } from "./viewer";

// The board of a country, or of the world: whoever has a score, the highest first. Equal scores
// share their rank, in the order of names; the next rank counts all who are above: 1, 2, 2, 4.

export type Entry = { rank: number; name: string; country: string; score: number };

type Blocks = Doc<"blocks">[];

/** Whether all players are on the boards. */
async function isConverted(ctx: QueryCtx): Promise<boolean> {
  const state = await ctx.db.query("conversion").unique();
  return state?.done === true;
}

/** A whole board, from all players and games: for as long as not everybody is on the boards. */
async function listEntries(ctx: QueryCtx, country: string | undefined): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const player of await ctx.db.query("players").collect()) {
    if (country !== undefined && player.country !== country) continue;
    if (isSuspended(player)) continue;
    const { score } = await scoreOf(ctx, player);
    if (score > 0)
      entries.push({ rank: 0, name: player.name, country: player.country, score });
  }
  entries.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  entries.forEach((entry, place) => {
    const above = entries[place - 1];
    entry.rank = above?.score === entry.score ? above.rank : place + 1;
  });
  return entries;
}

async function topBlocks(ctx: QueryCtx, country: string | undefined): Promise<Blocks> {
  return await blocksBetween(ctx, boardOf(country), LEVELS, "", END);
}

function sumOf(blocks: Blocks): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}

/** How many stand before a place. */
async function countBefore(
  ctx: QueryCtx,
  country: string | undefined,
  top: Blocks,
  place: string,
): Promise<number> {
  let blocks = top.filter(({ from }) => from < place);
  let count = 0;
  let start = "";
  for (let level = LEVELS; level >= 1; level--) {
    const last = blocks.at(-1);
    if (last === undefined) return count;
    count += sumOf(blocks) - last.count;
    start = last.from;
    if (level > 1) blocks = await blocksBetween(ctx, boardOf(country), level - 1, start, place);
  }
  return count + (await playersBetween(ctx, country, start, place).collect()).length;
}

/** Some players, from the one on who has so many before. */
async function playersAt(
  ctx: QueryCtx,
  country: string | undefined,
  top: Blocks,
  before: number,
  limit: number,
): Promise<Doc<"players">[]> {
  let blocks = top;
  let skipped = before;
  let start = "";
  let end = END;
  for (let level = LEVELS; level >= 1; level--) {
    let found = false;
    for (const { from, count } of blocks) {
      if (found) {
        end = from;
        break;
      }
      if (skipped < count) {
        start = from;
        found = true;
      } else {
        skipped -= count;
      }
    }
    if (!found) return [];
    if (level > 1) blocks = await blocksBetween(ctx, boardOf(country), level - 1, start, end);
  }
  const players = await playersBetween(ctx, country, start, END).take(skipped + limit);
  return players.slice(skipped);
}

/** The entries of players who follow one another on a board, of whom the first has so many before. */
async function entriesOf(
  ctx: QueryCtx,
  country: string | undefined,
  top: Blocks,
  before: number,
  players: Doc<"players">[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { name, country: home, place } of players) {
    const score = place === undefined ? 0 : scoreAt(place);
    const above = entries.at(-1);
    const rank =
      above === undefined
        ? 1 + (await countBefore(ctx, country, top, placeOf(score, "")))
        : above.score === score
          ? above.rank
          : before + entries.length + 1;
    entries.push({ rank, name, country: home, score });
  }
  return entries;
}

/** The place of a player on a board; null for who is not on it. */
async function findPlace(ctx: QueryCtx, name: string, country: string | undefined) {
  const player = await findPlayer(ctx, name);
  if (player === null || (country !== undefined && player.country !== country)) return null;
  return player.place ?? null;
}

export async function rankOf(ctx: QueryCtx, name: string, country: string | undefined) {
  if (!(await isConverted(ctx))) {
    const entries = await listEntries(ctx, country);
    const entry = entries.find((each) => each.name === name);
    if (entry === undefined) return null;
    return { rank: entry.rank, score: entry.score, of: entries.length };
  }
  const place = await findPlace(ctx, name, country);
  if (place === null) return null;
  const top = await topBlocks(ctx, country);
  const score = scoreAt(place);
  const above = await countBefore(ctx, country, top, placeOf(score, ""));
  return { rank: above + 1, score, of: sumOf(top) };
}

export async function entriesAround(
  ctx: QueryCtx,
  name: string,
  country: string | undefined,
): Promise<Entry[]> {
  if (!(await isConverted(ctx))) {
    const entries = await listEntries(ctx, country);
    const place = entries.findIndex((entry) => entry.name === name);
    if (place === -1) return [];
    return entries.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1);
  }
  const place = await findPlace(ctx, name, country);
  if (place === null) return [];
  const top = await topBlocks(ctx, country);
  const above = await playersBetween(ctx, country, "", place).order("desc").take(NEIGHBOURS);
  const below = await playersBetween(ctx, country, place, END).take(NEIGHBOURS + 1);
  const before = (await countBefore(ctx, country, top, place)) - above.length;
  return await entriesOf(ctx, country, top, before, [...above.reverse(), ...below]);
}

/** The entries from a place on; place 1 is the first. */
export async function entriesFrom(
  ctx: QueryCtx,
  place: number,
  country: string | undefined,
): Promise<Entry[]> {
  const before = place - 1;
  if (!(await isConverted(ctx))) {
    const entries = await listEntries(ctx, country);
    return entries.slice(before, before + PAGE_SIZE);
  }
  const top = await topBlocks(ctx, country);
  const players = await playersAt(ctx, country, top, before, PAGE_SIZE);
  return await entriesOf(ctx, country, top, before, players);
}

/** How many stand on the board of the world. */
export async function countEntries(ctx: QueryCtx): Promise<number> {
  if (!(await isConverted(ctx))) return (await listEntries(ctx, undefined)).length;
  return sumOf(await topBlocks(ctx, undefined));
}
