// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../../convex/_generated/dataModel";

/** A track that was picked. */
export interface Picked {
  track: Id<"tracks">;
  title: string;
  // Counts what is picked: the tray is in the order of these numbers.
  number: number;
  // Why its move was refused.
  reason: string | null;
}

/** A move that is not answered. No two have the same number. */
interface Move {
  picked: Picked;
  below: Id<"tracks">;
  isPickedAgain: boolean;
}

export interface State {
  tray: Picked[];
  moves: Move[];
  // How many picks there were.
  picks: number;
}

export type Action =
  | { type: "pick"; track: Doc<"tracks"> }
  | { type: "putBack"; number: number }
  | { type: "drop"; dropped: Picked[]; below: Id<"tracks"> }
  // Without a reason the track does not come back.
  | { type: "answer"; number: number; reason: string | null };

export const EMPTY: State = { tray: [], moves: [], picks: 0 };

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "pick": {
      const { _id, title } = action.track;
      if (state.tray.some(({ track }) => track === _id)) return state;
      const picked = { track: _id, title, number: state.picks, reason: null };
      return {
        tray: [...state.tray, picked],
        moves: state.moves.map((move) =>
          move.picked.track === _id ? { ...move, isPickedAgain: true } : move,
        ),
        picks: state.picks + 1,
      };
    }
    case "putBack":
      return { ...state, tray: state.tray.filter(({ number }) => number !== action.number) };
    case "drop": {
      const { dropped, below } = action;
      const numbers = new Set(dropped.map(({ number }) => number));
      return {
        ...state,
        tray: state.tray.filter(({ number }) => !numbers.has(number)),
        moves: [
          ...state.moves,
          ...dropped.map((picked) => ({ picked, below, isPickedAgain: false })),
        ],
      };
    }
    case "answer": {
      const { number, reason } = action;
      const answered = state.moves.find(({ picked }) => picked.number === number);
      const moves = state.moves.filter((move) => move !== answered);
      if (answered === undefined || answered.isPickedAgain || reason === null) {
        return { ...state, moves };
      }
      const tray = [...state.tray, { ...answered.picked, reason }];
      return { ...state, moves, tray: tray.sort((one, other) => one.number - other.number) };
    }
  }
}
