// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQueries } from "convex/react";
import { type RefObject, useMemo, useRef, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { explain, isGone } from "./refusals";
import { type Place, showMove } from "./showMove";

/** A track in the tray. */
export interface Picked {
  // As it was when it was picked.
  track: Doc<"tracks">;
  // Counts the picks, and sorts the tray.
  pick: number;
  // Why its last move was refused.
  reason: string | null;
}

/** A move that is not answered. */
interface Move {
  track: Id<"tracks">;
  below: Id<"tracks">;
}

/** The tray, and the moves that it was emptied with. */
export function useTray(loadedEnd: RefObject<Place | null>) {
  const send = useMutation(api.tracks.move);
  const [picked, setPicked] = useState<Picked[]>([]);
  const [moves, setMoves] = useState<Move[]>([]);
  const picks = useRef(0);
  const lastPicks = useRef(new Map<Id<"tracks">, number>());

  // Tracks may be beyond what is loaded. Those that are being moved are needed to show the moves.
  const queries = useMemo(() => {
    const ids = new Set([
      ...picked.map(({ track }) => track._id),
      ...moves.flatMap(({ track, below }) => [track, below]),
    ]);
    return Object.fromEntries(
      [...ids].map((id) => [id, { query: api.tracks.get, args: { track: id } }]),
    );
  }, [picked, moves]);
  const found: Record<string, unknown> = useQueries(queries);
  const tray = picked.filter(({ track }) => found[track._id] !== null);

  const pick = (track: Doc<"tracks">) => {
    if (picked.some((other) => other.track._id === track._id)) return;
    picks.current += 1;
    const entry = { track, pick: picks.current, reason: null };
    lastPicks.current.set(track._id, entry.pick);
    setPicked((former) => [...former, entry]);
  };

  const putBack = (entry: Picked) => {
    setPicked((former) => former.filter((other) => other !== entry));
  };

  const move = async (entry: Picked, below: Id<"tracks">) => {
    const { track } = entry;
    const args = { track: track._id, below };
    setMoves((former) => [...former, args]);
    try {
      await send.withOptimisticUpdate((store, given) => {
        showMove(store, given, track, loadedEnd.current);
      })(args);
    } catch (error) {
      const isPickedAgain = lastPicks.current.get(track._id) !== entry.pick;
      if (!isPickedAgain && !isGone(error)) {
        const refused = { ...entry, reason: explain(error) };
        setPicked((former) => [...former, refused].sort((a, b) => a.pick - b.pick));
      }
    } finally {
      setMoves((former) => former.filter((other) => other !== args));
    }
  };

  /** Moves all tracks of the tray directly below a track. */
  const drop = (below: Id<"tracks">) => {
    setPicked((former) => former.filter((entry) => !tray.includes(entry)));
    // The last one goes first and all below the same track, so that none depends on another one.
    for (const entry of [...tray].reverse()) void move(entry, below);
  };

  const isPicked = (id: Id<"tracks">) => tray.some(({ track }) => track._id === id);
  const isSaving = (id: Id<"tracks">) => moves.some(({ track }) => track === id);

  return { tray, pick, putBack, drop, isPicked, isSaving };
}
