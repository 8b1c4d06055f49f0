// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import type { FunctionArgs } from "convex/server";
import { createContext, useCallback, useContext, useMemo, useReducer, type ReactNode } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";
import { showMove } from "./showMove";

type Args = FunctionArgs<typeof api.cards.move>;

/** A move that was clicked. `refusal` is undefined until it is answered, and null when it was carried out. */
interface Clicked {
  key: string;
  card: Id<"cards">;
  refusal: string | null | undefined;
}

type Step = { type: "click"; move: Clicked } | { type: "answer"; key: string; refusal: string | null };

function next(clicked: Clicked[], step: Step): Clicked[] {
  if (step.type === "click") return [...clicked, step.move];
  return clicked.map((one) => (one.key === step.key ? { ...one, refusal: step.refusal } : one));
}

const Context = createContext<{ clicked: Clicked[]; move: (args: Args) => void } | null>(null);

export function MovesProvider({ children }: { children: ReactNode }) {
  const [clicked, dispatch] = useReducer(next, []);
  const mutate = useMutation(api.cards.move);
  const send = useMemo(() => mutate.withOptimisticUpdate(showMove), [mutate]);
  const move = useCallback(
    (args: Args) => {
      const key = crypto.randomUUID();
      dispatch({ type: "click", move: { key, card: args.card, refusal: undefined } });
      send(args).then(
        () => dispatch({ type: "answer", key, refusal: null }),
        (error: unknown) => dispatch({ type: "answer", key, refusal: explain(error) }),
      );
    },
    [send],
  );
  const value = useMemo(() => ({ clicked, move }), [clicked, move]);
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export function useMoves(card: Id<"cards">) {
  const context = useContext(Context);
  if (context === null) throw new Error("not inside of MovesProvider");
  const mine = context.clicked.filter((one) => one.card === card);
  return {
    isSaving: mine.some((one) => one.refusal === undefined),
    refusal: mine.at(-1)?.refusal ?? null,
    move: (list: Id<"lists">, place: Args["place"]) => context.move({ card, list, place }),
  };
}
