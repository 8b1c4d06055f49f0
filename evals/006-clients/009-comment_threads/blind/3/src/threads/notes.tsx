// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createContext, useContext, useMemo, useRef, useState } from "react";
import type { ReactNode } from "react";

import type { Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";

/*
 * What the page knows besides the backend's data: drafts, replies that are not posted, and
 * refusals. It is kept here because threads and comments come and go while changes are tried.
 */

/** A reply that was sent. It is on its way as long as there is no refusal. */
export interface Reply {
  key: string;
  text: string;
  refusal: string | null;
}

export interface ThreadNotes {
  draft: string;
  replies: Reply[];
  refusal: string | null;
  /** The latest try to change the thread. */
  turn: number;
  /** Whether the person who uses the page deletes it. */
  isRemoving: boolean;
}

export interface CommentNotes {
  draft: string | null;
  refusal: string | null;
  turn: number;
}

const NO_THREAD_NOTES: ThreadNotes = {
  draft: "",
  replies: [],
  refusal: null,
  turn: 0,
  isRemoving: false,
};
const NO_COMMENT_NOTES: CommentNotes = { draft: null, refusal: null, turn: 0 };

type Change<Notes> = Partial<Notes> | ((notes: Notes) => Partial<Notes>);

interface AllNotes {
  ofThread: (id: Id<"threads">) => ThreadNotes;
  ofComment: (id: Id<"comments">) => CommentNotes;
  changeThread: (id: Id<"threads">, change: Change<ThreadNotes>) => void;
  changeComment: (id: Id<"comments">, change: Change<CommentNotes>) => void;
  nextTurn: () => number;
}

const NotesContext = createContext<AllNotes | null>(null);

export function NotesProvider({ children }: { children: ReactNode }) {
  const [threads, setThreads] = useState<ReadonlyMap<string, ThreadNotes>>(() => new Map());
  const [comments, setComments] = useState<ReadonlyMap<string, CommentNotes>>(() => new Map());
  const turns = useRef(0);
  const notes = useMemo<AllNotes>(
    () => ({
      ofThread: (id) => threads.get(id) ?? NO_THREAD_NOTES,
      ofComment: (id) => comments.get(id) ?? NO_COMMENT_NOTES,
      changeThread: (id, change) => {
        setThreads((all) => changed(all, id, NO_THREAD_NOTES, change));
      },
      changeComment: (id, change) => {
        setComments((all) => changed(all, id, NO_COMMENT_NOTES, change));
      },
      nextTurn: () => {
        turns.current += 1;
        return turns.current;
      },
    }),
    [threads, comments],
  );
  return <NotesContext.Provider value={notes}>{children}</NotesContext.Provider>;
}

function changed<Notes extends object>(
  all: ReadonlyMap<string, Notes>,
  id: string,
  none: Notes,
  change: Change<Notes>,
): ReadonlyMap<string, Notes> {
  const before = all.get(id) ?? none;
  const given = typeof change === "function" ? change(before) : change;
  return new Map(all).set(id, { ...before, ...given });
}

export function useNotes(): AllNotes {
  const notes = useContext(NotesContext);
  if (notes === null) throw new Error("no NotesProvider");
  return notes;
}

/** Calls `refused` with the reason if a change is refused. */
export function whenRefused(change: Promise<unknown>, refused: (reason: string) => void) {
  change.then(
    () => undefined,
    (error: unknown) => refused(explain(error)),
  );
}
