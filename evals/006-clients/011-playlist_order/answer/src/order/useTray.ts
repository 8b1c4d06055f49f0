// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQueries } from "convex/react";
import { ConvexError } from "convex/values";
import { useMemo, useRef, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";
import { showMove } from "./showMove";

/** A track in the tray. */
export interface Picked {
  track: Id<"tracks">;
  title: string;
  /** Grows with each pick, so that refused tracks find their former place. */
  number: number;
  /** Why it could not be dropped. */
  refusal: string | null;
}

/** The tracks that were picked, and the moves that are not answered. */
export function useTray() {
  const send = useMutation(api.tracks.move).withOptimisticUpdate(showMove);
  const [picked, setPicked] = useState<Picked[]>([]);
  const [unanswered, setUnanswered] = useState<Record<Id<"tracks">, number>>({});
  const numbers = useRef(0);
  /** The number of the latest pick of each track. */
  const latest = useRef<Record<Id<"tracks">, number>>({});

  const stored = useTracks([
    ...picked.map(({ track }) => track),
    // What is shown of a move is made anew with each news: its track must be known until then.
    ...(Object.keys(unanswered) as Id<"tracks">[]).filter((track) => unanswered[track] > 0),
  ]);
  const tray = picked.filter(({ track }) => stored[track] !== null);

  const count = (track: Id<"tracks">, by: number) =>
    setUnanswered((all) => ({ ...all, [track]: (all[track] ?? 0) + by }));

  const move = async (entry: Picked, below: Id<"tracks">) => {
    const { track, number } = entry;
    count(track, 1);
    try {
      await send({ track, below });
    } catch (error) {
      const isGone = error instanceof ConvexError && (error.data as { code: string }).code === "gone";
      if (isGone || latest.current[track] !== number) return;
      const back = { ...entry, refusal: explain(error) };
      setPicked((all) => [...all, back].sort((one, other) => one.number - other.number));
    } finally {
      count(track, -1);
    }
  };

  return {
    tray,
    isPicked: (track: Id<"tracks">) => tray.some((entry) => entry.track === track),
    isSaving: (track: Id<"tracks">) => (unanswered[track] ?? 0) > 0,
    pick: ({ _id, title }: Doc<"tracks">) => {
      const number = ++numbers.current;
      latest.current[_id] = number;
      setPicked((all) => [...all, { track: _id, title, number, refusal: null }]);
    },
    putBack: (track: Id<"tracks">) =>
      setPicked((all) => all.filter((entry) => entry.track !== track)),
    /** Moves all picked tracks, the last one first: then none depends on whether another was moved. */
    dropBelow: (below: Id<"tracks">) => {
      setPicked([]);
      for (const entry of [...tray].reverse()) void move(entry, below);
    },
  };
}

/** Returns tracks by their ids: null for one that was removed, undefined while it is not known. */
function useTracks(ids: Id<"tracks">[]): Record<string, Doc<"tracks"> | null | undefined> {
  const key = [...new Set(ids)].sort().join(" ");
  const queries = useMemo(() => {
    const tracks = key.split(" ").filter((id) => id !== "") as Id<"tracks">[];
    return Object.fromEntries(
      tracks.map((track) => [track, { query: api.tracks.get, args: { track } }]),
    );
  }, [key]);
  return useQueries(queries);
}
