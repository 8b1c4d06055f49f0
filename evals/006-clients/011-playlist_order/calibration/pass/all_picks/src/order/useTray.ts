// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex, useQueries } from "convex/react";
import { ConvexError } from "convex/values";
import { useMemo, useReducer } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";
import { showMove } from "./showMove";

/** One pick of a track, from the click on. Picks are kept in their order. */
interface Pick {
  id: string;
  track: Id<"tracks">;
  title: string;
  state: "in_tray" | "sent" | "over";
  refusal: string | null;
}

export type Picked = Pick;

type Event =
  | { kind: "picked"; pick: Pick }
  | { kind: "sent"; ids: string[] }
  | { kind: "over"; id: string }
  | { kind: "refused"; id: string; refusal: string };

function reduce(picks: Pick[], event: Event): Pick[] {
  switch (event.kind) {
    case "picked":
      return [...picks, event.pick];
    case "sent":
      return picks.map((pick) =>
        event.ids.includes(pick.id) ? { ...pick, state: "sent", refusal: null } : pick,
      );
    case "over":
      return picks.map((pick) => (pick.id === event.id ? { ...pick, state: "over" } : pick));
    case "refused": {
      const place = picks.findIndex(({ id }) => id === event.id);
      const { track } = picks[place];
      const isLatest = !picks.slice(place + 1).some((later) => later.track === track);
      const { refusal } = event;
      return picks.map((pick) => {
        if (pick.id !== event.id) return pick;
        return isLatest ? { ...pick, state: "in_tray", refusal } : { ...pick, state: "over" };
      });
    }
  }
}

/** The tracks that were picked, and the moves that are not answered. */
export function useTray() {
  const convex = useConvex();
  const [picks, dispatch] = useReducer(reduce, []);

  const watched = picks.filter(({ state }) => state !== "over").map(({ track }) => track);
  const key = [...new Set(watched)].join();
  const stored = useQueries(
    useMemo(() => {
      const tracks = key === "" ? [] : (key.split(",") as Id<"tracks">[]);
      return Object.fromEntries(
        tracks.map((track) => [track, { query: api.tracks.get, args: { track } }]),
      );
    }, [key]),
  );
  const tray = picks.filter(({ state, track }) => state === "in_tray" && stored[track] !== null);

  const send = async ({ id, track }: Pick, below: Id<"tracks">) => {
    try {
      const args = { track, below };
      await convex.mutation(api.tracks.move, args, { optimisticUpdate: showMove });
      dispatch({ kind: "over", id });
    } catch (error) {
      const isGone =
        error instanceof ConvexError && (error.data as { code: string }).code === "gone";
      if (isGone) dispatch({ kind: "over", id });
      else dispatch({ kind: "refused", id, refusal: explain(error) });
    }
  };

  return {
    tray,
    isPicked: (track: Id<"tracks">) => tray.some((pick) => pick.track === track),
    isSaving: (track: Id<"tracks">) =>
      picks.some((pick) => pick.track === track && pick.state === "sent"),
    pick: ({ _id, title }: Doc<"tracks">) => {
      const id = crypto.randomUUID();
      dispatch({
        kind: "picked",
        pick: { id, track: _id, title, state: "in_tray", refusal: null },
      });
    },
    putBack: (track: Id<"tracks">) => {
      for (const pick of tray) if (pick.track === track) dispatch({ kind: "over", id: pick.id });
    },
    dropBelow: (below: Id<"tracks">) => {
      dispatch({ kind: "sent", ids: tray.map(({ id }) => id) });
      for (const pick of tray.slice().reverse()) void send(pick, below);
    },
  };
}
