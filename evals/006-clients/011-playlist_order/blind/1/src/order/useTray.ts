// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { useReducer, type RefObject } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { showMove } from "./placing";
import { explain, isRemoved } from "./refusals";

/** A track in the tray. */
export interface Picked {
  // As it was when it was picked.
  track: Doc<"tracks">;
  // The number of the pick: the tray is ordered by it.
  pick: number;
  // Why its move was refused.
  reason: string | null;
}

interface State {
  tray: Picked[];
  // The track of each move that is not answered.
  moving: Id<"tracks">[];
  // The newest pick of each track.
  picks: ReadonlyMap<Id<"tracks">, number>;
  // The number of the last pick.
  last: number;
}

type Action =
  | { type: "pick"; track: Doc<"tracks"> }
  | { type: "putBack"; track: Id<"tracks"> }
  | { type: "drop"; dropped: Picked[] }
  | { type: "moved"; track: Id<"tracks"> }
  | { type: "refused"; picked: Picked; reason: string }
  | { type: "removed"; track: Id<"tracks"> };

function without(tray: Picked[], id: Id<"tracks">): Picked[] {
  return tray.filter(({ track }) => track._id !== id);
}

/** Takes one move of a track out of those that are not answered. */
function answered(moving: Id<"tracks">[], id: Id<"tracks">): Id<"tracks">[] {
  const index = moving.indexOf(id);
  return moving.filter((_, other) => other !== index);
}

function reduce(state: State, action: Action): State {
  const { tray, moving, picks } = state;
  switch (action.type) {
    case "pick": {
      const { track } = action;
      if (tray.some((picked) => picked.track._id === track._id)) return state;
      const last = state.last + 1;
      return {
        ...state,
        tray: [...tray, { track, pick: last, reason: null }],
        picks: new Map(picks).set(track._id, last),
        last,
      };
    }
    case "putBack":
      return { ...state, tray: without(tray, action.track) };
    case "drop": {
      const dropped = action.dropped.map(({ track }) => track._id);
      return {
        ...state,
        tray: tray.filter(({ track }) => !dropped.includes(track._id)),
        moving: [...moving, ...dropped],
      };
    }
    case "moved":
      return { ...state, moving: answered(moving, action.track) };
    case "refused": {
      const { picked, reason } = action;
      const id = picked.track._id;
      const rest = { ...state, moving: answered(moving, id) };
      // It was picked again, or it was removed.
      if (picks.get(id) !== picked.pick) return rest;
      const back = [...without(tray, id), { ...picked, reason }];
      return { ...rest, tray: back.sort((one, other) => one.pick - other.pick) };
    }
    case "removed": {
      if (!picks.has(action.track)) return state;
      const left = new Map(picks);
      left.delete(action.track);
      return { ...state, tray: without(tray, action.track), picks: left };
    }
  }
}

const EMPTY: State = { tray: [], moving: [], picks: new Map(), last: 0 };

/** The picked tracks of a show, and the moves that are not answered. For `end` see `showMove`. */
export function useTray(end: RefObject<Doc<"tracks"> | null>) {
  const [{ tray, moving }, dispatch] = useReducer(reduce, EMPTY);
  const move = useMutation(api.tracks.move);

  const send = async (picked: Picked, below: Id<"tracks">) => {
    const { _id: track } = picked.track;
    const moveAtOnce = move.withOptimisticUpdate((store, args) => {
      showMove(store, args, picked.track, end.current);
    });
    try {
      await moveAtOnce({ track, below });
      dispatch({ type: "moved", track });
    } catch (error) {
      if (isRemoved(error)) dispatch({ type: "removed", track });
      dispatch(
        isRemoved(error)
          ? { type: "moved", track }
          : { type: "refused", picked, reason: explain(error) },
      );
    }
  };

  return {
    tray,
    moving,
    pick: (track: Doc<"tracks">) => dispatch({ type: "pick", track }),
    putBack: (track: Id<"tracks">) => dispatch({ type: "putBack", track }),
    /** Moves the tracks of the tray. Each goes directly below the other one, so the last is first. */
    drop: (below: Id<"tracks">) => {
      dispatch({ type: "drop", dropped: tray });
      for (const picked of [...tray].reverse()) void send(picked, below);
    },
    dispatch,
  };
}

export type Dispatch = ReturnType<typeof useTray>["dispatch"];
