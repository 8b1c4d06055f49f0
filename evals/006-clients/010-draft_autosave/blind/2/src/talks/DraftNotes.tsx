// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { DraftView } from "./drafts";

interface Props {
  draft: DraftView;
  onRetry: () => void;
  onKeepMine: (theirs: string) => void;
  onTakeTheirs: () => void;
}

/** What stands below a field in which something was typed. */
export function DraftNotes({ draft, onRetry, onKeepMine, onTakeTheirs }: Props) {
  const { isUnsaved, theirs, refusal } = draft;
  return (
    <>
      {isUnsaved && <p className="unsaved">Not saved</p>}
      {theirs !== null && (
        <div className="conflict">
          <p>{`Somebody else wrote: ${theirs}`}</p>
          <button onClick={() => onKeepMine(theirs)}>Keep mine</button>
          <button onClick={onTakeTheirs}>Take theirs</button>
        </div>
      )}
      {refusal !== null && (
        <div className="refusal">
          <p role="alert">{refusal}</p>
          <button onClick={onRetry}>Retry</button>
        </div>
      )}
    </>
  );
}
