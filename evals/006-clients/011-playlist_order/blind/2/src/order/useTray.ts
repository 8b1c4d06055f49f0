// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQueries } from "convex/react";
import { useMemo, useReducer } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { showMove } from "./moves";
import { explain, isGone } from "./refusals";
import { EMPTY, reduce, type Picked, type State } from "./tray";

type Found = Record<string, Doc<"tracks"> | Error | null | undefined>;

/** Follows tracks wherever they are, also those that moves need which are not answered. */
function useFollowed({ tray, moves }: State): Found {
  const ids = [
    ...tray.map(({ track }) => track),
    ...moves.flatMap(({ picked, below }) => [picked.track, below]),
  ];
  const followed = [...new Set(ids)].sort().join(" ");
  const queries = useMemo(() => {
    const tracks = followed.split(" ").filter((track) => track !== "");
    return Object.fromEntries(
      tracks.map((track) => [track, { query: api.tracks.get, args: { track } }]),
    );
  }, [followed]);
  return useQueries(queries) as Found;
}

/** The tray of a show: the picked tracks, and what can be done with them. */
export function useTray(show: Id<"shows">, lowestSeen: Doc<"tracks"> | null) {
  const [state, dispatch] = useReducer(reduce, EMPTY);
  const found = useFollowed(state);
  const move = useMutation(api.tracks.move).withOptimisticUpdate((store, args) => {
    showMove(store, args, show, lowestSeen);
  });
  const tray = state.tray.filter(({ track }) => found[track] !== null);

  const send = async ({ track, number }: Picked, below: Id<"tracks">) => {
    let reason: string | null = null;
    try {
      await move({ track, below });
    } catch (error) {
      reason = isGone(error) ? null : explain(error);
    }
    dispatch({ type: "answer", number, reason });
  };

  return {
    tray,
    isPicked: (id: Id<"tracks">) => tray.some(({ track }) => track === id),
    isSaving: (id: Id<"tracks">) => state.moves.some(({ picked }) => picked.track === id),
    pick: (track: Doc<"tracks">) => {
      dispatch({ type: "pick", track });
    },
    putBack: ({ number }: Picked) => {
      dispatch({ type: "putBack", number });
    },
    drop: (below: Id<"tracks">) => {
      dispatch({ type: "drop", dropped: tray, below });
      // The last one first, each directly below the same track: so none depends on another one's move.
      for (const picked of [...tray].reverse()) void send(picked, below);
    },
  };
}
