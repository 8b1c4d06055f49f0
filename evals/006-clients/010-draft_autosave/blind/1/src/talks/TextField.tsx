// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { DraftView } from "./drafts";

interface Props {
  label: string;
  stored: string;
  /** What was typed here, if anything was. */
  draft: DraftView | undefined;
  onType: (text: string) => void;
  onRetry: () => void;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** A text of a talk, in which people type. */
export function TextField({
  label,
  stored,
  draft,
  onType,
  onRetry,
  onKeepMine,
  onTakeTheirs,
}: Props) {
  const theirs = draft?.theirs ?? null;
  const refusal = draft?.refusal ?? null;
  return (
    <div className="field">
      <label>
        {label}
        <textarea
          value={draft === undefined ? stored : draft.text}
          onChange={(event) => onType(event.target.value)}
        />
      </label>
      {draft !== undefined && !draft.isStored && <p className="unsaved">Not saved</p>}
      {theirs !== null && (
        <div className="conflict">
          <p>{`Somebody else wrote: ${theirs}`}</p>
          <button type="button" onClick={onKeepMine}>
            Keep mine
          </button>
          <button type="button" onClick={onTakeTheirs}>
            Take theirs
          </button>
        </div>
      )}
      {refusal !== null && (
        <div className="refusal">
          <p role="alert">{refusal}</p>
          <button type="button" onClick={onRetry}>
            Retry
          </button>
        </div>
      )}
    </div>
  );
}
