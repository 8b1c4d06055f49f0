// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { QueryCtx } from "../_generated/server";
import { scoreOf } from "./scores";

export type Entry = { rank: number; name: string; country: string; score: number };

/** Whether everybody who has a score has an entry. */
export async function hasAllEntries(ctx: QueryCtx): Promise<boolean> {
  const migration = await ctx.db.query("migration").unique();
  return migration?.isDone ?? false;
}

/**
 * The board of a country, or of the world: whoever has a score, the highest first. Equal scores
 * share their rank, in the order of names; the next rank counts all who are above: 1, 2, 2, 4.
 * It reads everything, for as long as not all entries are there.
 */
export async function listEntries(ctx: QueryCtx, country?: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const player of await ctx.db.query("players").collect()) {
    if (country !== undefined && player.country !== country) continue;
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
