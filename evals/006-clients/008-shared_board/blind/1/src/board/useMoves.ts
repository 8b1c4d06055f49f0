// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { useRef, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import type { Place } from "../../convex/lib/ranks";
import { previewMove } from "./preview";
import { explain } from "./refusals";

interface CardState {
  /** How many of its moves are not answered. */
  pending: number;
  /** Why its latest move was refused. */
  refusal: string | null;
}

export interface Moves {
  move: (card: Id<"cards">, list: Id<"lists">, place: Place) => void;
  isSaving: (card: Id<"cards">) => boolean;
  refusalOf: (card: Id<"cards">) => string | null;
}

const RESTING: CardState = { pending: 0, refusal: null };

/** The moves of all cards. Cards are shown in several places, and these come and go. */
export function useMoves(): Moves {
  const send = useMutation(api.cards.move).withOptimisticUpdate(previewMove);
  const [states, setStates] = useState<ReadonlyMap<Id<"cards">, CardState>>(new Map());
  const latest = useRef(new Map<Id<"cards">, number>());

  const change = (card: Id<"cards">, next: (state: CardState) => CardState) => {
    setStates((before) => new Map(before).set(card, next(before.get(card) ?? RESTING)));
  };

  const move = async (card: Id<"cards">, list: Id<"lists">, place: Place) => {
    const number = (latest.current.get(card) ?? 0) + 1;
    latest.current.set(card, number);
    change(card, ({ pending }) => ({ pending: pending + 1, refusal: null }));
    let refusal: string | null = null;
    try {
      await send({ card, list, place });
    } catch (error) {
      refusal = explain(error);
    }
    const isLatest = latest.current.get(card) === number;
    change(card, (state) => ({
      pending: state.pending - 1,
      refusal: isLatest ? refusal : state.refusal,
    }));
  };

  return {
    move: (card, list, place) => void move(card, list, place),
    isSaving: (card) => (states.get(card)?.pending ?? 0) > 0,
    refusalOf: (card) => states.get(card)?.refusal ?? null,
  };
}
