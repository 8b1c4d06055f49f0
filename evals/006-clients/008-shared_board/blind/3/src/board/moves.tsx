// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { createContext, useCallback, useContext, useMemo, useRef, useState } from "react";
import type { ReactNode } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import type { Place } from "../../convex/lib/ranks";
import { applyMove } from "./applyMove";
import { explain } from "./refusals";

/** What is known of the moves of one card: the latest, how many are not answered, and the refusal. */
interface CardMoves {
  latest: number;
  waiting: number;
  refusal: string | null;
}

interface Moves {
  ofCard: ReadonlyMap<Id<"cards">, CardMoves>;
  move: (card: Doc<"cards">, list: Id<"lists">, place: Place) => void;
}

const NONE: CardMoves = { latest: 0, waiting: 0, refusal: null };

const MovesContext = createContext<Moves | null>(null);

/** Sends the moves of all cards, and keeps what became of them wherever the cards are shown. */
export function MovesProvider({ children }: { children: ReactNode }) {
  const send = useMutation(api.cards.move);
  const [ofCard, setOfCard] = useState<ReadonlyMap<Id<"cards">, CardMoves>>(() => new Map());
  const count = useRef(0);

  const move = useCallback(
    (card: Doc<"cards">, list: Id<"lists">, place: Place) => {
      const change = (by: (moves: CardMoves) => CardMoves) => {
        setOfCard((all) => new Map(all).set(card._id, by(all.get(card._id) ?? NONE)));
      };
      count.current += 1;
      const turn = count.current;
      const end = (refusal: string | null) => {
        change((moves) => ({
          ...moves,
          waiting: moves.waiting - 1,
          refusal: moves.latest === turn ? refusal : moves.refusal,
        }));
      };
      change(({ waiting }) => ({ latest: turn, waiting: waiting + 1, refusal: null }));
      const sendShown = send.withOptimisticUpdate((store, args) => {
        applyMove(store, card, args);
      });
      sendShown({ card: card._id, list, place }).then(
        () => end(null),
        (error: unknown) => end(explain(error)),
      );
    },
    [send],
  );

  const moves = useMemo(() => ({ ofCard, move }), [ofCard, move]);
  return <MovesContext.Provider value={moves}>{children}</MovesContext.Provider>;
}

/** Returns how to move a card, and what its moves have come to. */
export function useMoves(card: Doc<"cards">) {
  const moves = useContext(MovesContext);
  if (moves === null) throw new Error("no MovesProvider around the card");
  const { waiting, refusal } = moves.ofCard.get(card._id) ?? NONE;
  const move = (list: Id<"lists">, place: Place) => moves.move(card, list, place);
  return { move, isSaving: waiting > 0, refusal };
}
