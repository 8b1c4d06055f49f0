// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import type { FunctionArgs } from "convex/server";
import { createContext, useContext, useRef, useState, type ReactNode } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";
import { showMove } from "./showMove";

type Move = FunctionArgs<typeof api.cards.move>;

/** What is known of a card's moves. It outlives the card's element, which goes from list to list. */
interface CardMoves {
  unanswered: number;
  latest: number;
  refusal: string | null;
}

const NONE: CardMoves = { unanswered: 0, latest: 0, refusal: null };

interface Moves {
  of: Record<Id<"cards">, CardMoves>;
  move: (args: Move) => void;
}

const MovesContext = createContext<Moves>({ of: {}, move: () => undefined });

export function MovesProvider({ children }: { children: ReactNode }) {
  const send = useMutation(api.cards.move).withOptimisticUpdate(showMove);
  const [of, setOf] = useState<Moves["of"]>({});
  const sent = useRef(0);

  const change = (card: Id<"cards">, to: (moves: CardMoves) => CardMoves) => {
    setOf((all) => ({ ...all, [card]: to(all[card] ?? NONE) }));
  };

  const follow = async (args: Move) => {
    sent.current += 1;
    const number = sent.current;
    change(args.card, ({ unanswered }) => ({
      unanswered: unanswered + 1,
      latest: number,
      refusal: null,
    }));
    const refusal = await send(args).then(() => null, explain);
    change(args.card, (moves) => ({
      ...moves,
      unanswered: moves.unanswered - 1,
      refusal: moves.latest === number ? refusal : moves.refusal,
    }));
  };

  return (
    <MovesContext.Provider value={{ of, move: (args) => void follow(args) }}>
      {children}
    </MovesContext.Provider>
  );
}

/** Returns what a card says of its moves, and the function that moves it. */
export function useMoves(card: Id<"cards">) {
  const { of, move } = useContext(MovesContext);
  const { unanswered, refusal } = of[card] ?? NONE;
  return {
    isSaving: unanswered > 0,
    refusal,
    move: (list: Id<"lists">, place: Move["place"]) => move({ card, list, place }),
  };
}
