// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { WORLD } from "./entries";
import type { Entry } from "./standings";
import { countBelow, countKeys, keyAt, type Key } from "./tree";

// Boards as `listEntries` has them, in parts. A board is a country, or undefined for the world.

const keyOf = ({ order, name }: Doc<"entries">): Key => [order, name];

export async function countEntries(ctx: QueryCtx, country?: string): Promise<number> {
  return await countKeys(ctx, country ?? WORLD);
}

/** How many stand before an entry on a board. */
export async function countBefore(ctx: QueryCtx, entry: Doc<"entries">, country?: string) {
  return await countBelow(ctx, country ?? WORLD, keyOf(entry));
}

export async function rankOf(ctx: QueryCtx, entry: Doc<"entries">, country?: string) {
  return 1 + (await countBelow(ctx, country ?? WORLD, [entry.order, ""]));
}

/** The entries of a board with this order, or behind it or before it, of which there may be many. */
function rangeOf(
  ctx: QueryCtx,
  country: string | undefined,
  [order, name]: Key,
  where: "fromName" | "beforeName" | "lower" | "higher",
) {
  const entries = ctx.db.query("entries");
  const ordered =
    country === undefined
      ? entries.withIndex("by_order", (q) => {
          if (where === "lower") return q.gt("order", order);
          if (where === "higher") return q.lt("order", order);
          const equal = q.eq("order", order);
          return where === "fromName" ? equal.gte("name", name) : equal.lt("name", name);
        })
      : entries.withIndex("by_country", (q) => {
          const own = q.eq("country", country);
          if (where === "lower") return own.gt("order", order);
          if (where === "higher") return own.lt("order", order);
          const equal = own.eq("order", order);
          return where === "fromName" ? equal.gte("name", name) : equal.lt("name", name);
        });
  return ordered.order(where === "beforeName" || where === "higher" ? "desc" : "asc");
}

/** So many entries from a key on. */
export async function listFrom(
  ctx: QueryCtx,
  country: string | undefined,
  key: Key,
  count: number,
) {
  const equal = await rangeOf(ctx, country, key, "fromName").take(count);
  const rest = count - equal.length;
  return rest === 0 ? equal : [...equal, ...(await rangeOf(ctx, country, key, "lower").take(rest))];
}

/** So many entries before another, and then this one and as many behind it. */
export async function listAround(
  ctx: QueryCtx,
  entry: Doc<"entries">,
  country: string | undefined,
  count: number,
) {
  const key = keyOf(entry);
  const before = await rangeOf(ctx, country, key, "beforeName").take(count);
  if (before.length < count) {
    const rest = count - before.length;
    before.push(...(await rangeOf(ctx, country, key, "higher").take(rest)));
  }
  return [...before.reverse(), ...(await listFrom(ctx, country, key, count + 1))];
}

/** The entries from a place on; the first place is 0. */
export async function listAt(
  ctx: QueryCtx,
  place: number,
  country: string | undefined,
  count: number,
) {
  if (place >= (await countEntries(ctx, country))) return [];
  return await listFrom(ctx, country, await keyAt(ctx, country ?? WORLD, place), count);
}

/** Gives entries that follow one another their ranks; the first has this place, from 0 on. */
export async function showEntries(
  ctx: QueryCtx,
  entries: Doc<"entries">[],
  place: number,
  country?: string,
): Promise<Entry[]> {
  const shown: Entry[] = [];
  for (const [index, { name, country: from, order }] of entries.entries()) {
    const above = entries[index - 1];
    const rank =
      index === 0
        ? await rankOf(ctx, entries[0], country)
        : above.order === order
          ? shown[index - 1].rank
          : place + index + 1;
    shown.push({ rank, name, country: from, score: -order });
  }
  return shown;
}
