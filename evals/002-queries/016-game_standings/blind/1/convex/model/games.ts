// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { MAX_GAMES, MAX_POINTS } from "../constants";
import { recentGames } from "./scores";
import { addGames, lastGameAt } from "./totals";

/** The caller refreshes the player. */
export async function insertGame(
  ctx: MutationCtx,
  game: Pick<Doc<"games">, "player" | "machine" | "points" | "playedAt">,
): Promise<Id<"games">> {
  const { points } = game;
  if (!Number.isInteger(points) || points < 1 || points > MAX_POINTS)
    throw new ConvexError("bad points");
  if ((await recentGames(ctx, game.player)).length >= MAX_GAMES)
    throw new ConvexError("too many games");
  const id = await ctx.db.insert("games", { ...game, voided: false });
  await addGames(ctx, game.player, 1);
  return id;
}

/** The caller refreshes the player. */
export async function setVoided(ctx: MutationCtx, game: Doc<"games">, voided: boolean) {
  if (game.voided === voided) return;
  await ctx.db.patch("games", game._id, { voided });
  await addGames(ctx, game.player, voided ? -1 : 1);
}

/** Deletes a game that counts for nobody any more; its machine goes on showing when it was played. */
export async function deleteGame(ctx: MutationCtx, game: Doc<"games">) {
  const machine = await ctx.db.get("machines", game.machine);
  if (
    machine !== null &&
    (machine.lastGameAt ?? 0) < game.playedAt &&
    (await lastGameAt(ctx, machine)) === game.playedAt
  )
    await ctx.db.patch("machines", machine._id, { lastGameAt: game.playedAt });
  await ctx.db.delete("games", game._id);
}
