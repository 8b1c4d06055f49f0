// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { useRef, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { showMove, type Move } from "./optimistic";
import { explain } from "./refusals";

export interface MoveState {
  // The moves that are not answered.
  open: number;
  // Why the latest move was refused.
  refusal: string | null;
}

const NEVER_MOVED: MoveState = { open: 0, refusal: null };

/** The moves of all cards: a card is shown in several places, and goes from one to another. */
export function useMoves() {
  const send = useMutation(api.cards.move).withOptimisticUpdate(showMove);
  const [states, setStates] = useState<Record<string, MoveState>>({});
  const counts = useRef<Record<string, number>>({});

  const change = (card: Id<"cards">, by: number, refusal?: string | null) => {
    setStates((all) => {
      const state = all[card] ?? NEVER_MOVED;
      return {
        ...all,
        [card]: {
          open: state.open + by,
          refusal: refusal === undefined ? state.refusal : refusal,
        },
      };
    });
  };

  const move = async (args: Move) => {
    const { card } = args;
    const mine = (counts.current[card] ?? 0) + 1;
    counts.current[card] = mine;
    change(card, 1, null);
    try {
      await send(args);
      change(card, -1);
    } catch (error) {
      change(card, -1, counts.current[card] === mine ? explain(error) : undefined);
    }
  };

  return { move, stateOf: (card: Id<"cards">) => states[card] ?? NEVER_MOVED };
}

export type Moves = ReturnType<typeof useMoves>;
