// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { countMove, placeOf } from "./blocks";
import { scoreOf } from "./scores";

/** What it reads, about, to change the place of a player on the boards. */
const READS_PER_MOVE = 60;

type Standing = Pick<Doc<"players">, "country" | "place">;

async function moveOnBoards(ctx: MutationCtx, before: Standing, after: Standing): Promise<void> {
  await countMove(ctx, undefined, before.place, after.place);
  if (before.country === after.country) {
    await countMove(ctx, before.country, before.place, after.place);
  } else {
    await countMove(ctx, before.country, before.place, undefined);
    await countMove(ctx, after.country, undefined, after.place);
  }
}

/**
 * Changes a player, and brings the place on the boards up to date. Whatever changes games of a
 * player calls this afterwards, without changes. It is called again by itself when time alone will
 * change the score. Returns how many documents it read, about.
 */
export async function changePlayer(
  ctx: MutationCtx,
  player: Doc<"players">,
  changes: Partial<Pick<Doc<"players">, "name" | "country" | "suspendedUntil">>,
): Promise<number> {
  const changed = { ...player, ...changes };
  const { score, changesAt, read } = await scoreOf(ctx, changed);
  const place = score > 0 ? placeOf(score, changed.name) : undefined;
  // A call that is still to come plans the next one.
  let wakeAt =
    player.wakeAt !== undefined && player.wakeAt > Date.now() ? player.wakeAt : undefined;
  if (changesAt !== undefined && (wakeAt === undefined || changesAt < wakeAt)) {
    wakeAt = changesAt;
    await ctx.scheduler.runAt(changesAt, internal.players.refresh, {
      player: player._id,
      at: changesAt,
    });
  }
  const same = place === player.place && wakeAt === player.wakeAt;
  if (!same || Object.keys(changes).length > 0)
    await ctx.db.patch("players", player._id, { ...changes, place, wakeAt });
  await moveOnBoards(ctx, player, { country: changed.country, place });
  return read + (place === player.place ? 2 : READS_PER_MOVE);
}

/** The games of these players have changed. */
export async function refreshPlayers(ctx: MutationCtx, players: Id<"players">[]): Promise<void> {
  for (const id of new Set(players)) {
    const player = await ctx.db.get("players", id);
    if (player !== null) await changePlayer(ctx, player, {});
  }
}

export async function deletePlayer(ctx: MutationCtx, player: Doc<"players">): Promise<void> {
  await ctx.db.delete("players", player._id);
  await moveOnBoards(ctx, player, { country: player.country });
}
