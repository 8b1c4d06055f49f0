// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createContext, useContext, useRef, useState, type ReactNode } from "react";

import type { Id } from "../../convex/_generated/dataModel";
import type { Field } from "../../convex/lib/texts";
import { typeText, type Draft, type Drafts } from "./drafts";
import { Saver } from "./Saver";

/** Milliseconds without a keystroke after which a field is saved. */
const PAUSE = 500;

/** What is typed in all talks. It is kept above the form, which shows one of them. */
function useDraftsState() {
  const [drafts, setDrafts] = useState<Drafts>({});
  const timers = useRef<Record<string, number | undefined>>({});

  const change = (
    talk: Id<"talks">,
    field: Field,
    to: (draft: Draft | undefined) => Draft | undefined,
  ) => setDrafts((all) => ({ ...all, [talk]: { ...all[talk], [field]: to(all[talk]?.[field]) } }));

  /** Changes a draft, if it is still there. */
  const patch = (
    talk: Id<"talks">,
    field: Field,
    to: Partial<Draft> | ((draft: Draft) => Partial<Draft>),
  ) =>
    change(talk, field, (draft) => {
      return draft && { ...draft, ...(typeof to === "function" ? to(draft) : to) };
    });

  return {
    drafts,
    change,
    patch,
    type: (talk: Id<"talks">, field: Field, text: string, stored: string) => {
      change(talk, field, (draft) => typeText(draft, text, stored));
      const key = `${talk} ${field}`;
      window.clearTimeout(timers.current[key]);
      timers.current[key] = window.setTimeout(() => patch(talk, field, { isDue: true }), PAUSE);
    },
    retry: (talk: Id<"talks">, field: Field) =>
      patch(talk, field, { refusal: null, isDue: true }),
    keepMine: (talk: Id<"talks">, field: Field, stored: string) =>
      patch(talk, field, { base: stored, refusal: null, isDue: true }),
    takeTheirs: (talk: Id<"talks">, field: Field) => change(talk, field, () => undefined),
    giveUp: (talk: Id<"talks">) => setDrafts((all) => ({ ...all, [talk]: undefined })),
  };
}

const DraftsContext = createContext<ReturnType<typeof useDraftsState> | null>(null);

export function DraftsProvider({ children }: { children: ReactNode }) {
  const state = useDraftsState();
  const talks = Object.keys(state.drafts) as Id<"talks">[];
  return (
    <DraftsContext.Provider value={state}>
      {children}
      {talks.map((talk) => {
        const drafts = state.drafts[talk];
        return drafts && <Saver key={talk} id={talk} drafts={drafts} />;
      })}
    </DraftsContext.Provider>
  );
}

export function useDrafts() {
  const state = useContext(DraftsContext);
  if (state === null) throw new Error("not inside of a DraftsProvider");
  return state;
}
