// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { ReactNode } from "react";

interface Props {
  label: string;
  text: string;
  onType: (text: string) => void;
  /** What stands below the text. */
  children?: ReactNode;
}

/** A text of a talk, in which people type. */
export function TextField({ label, text, onType, children }: Props) {
  return (
    <div className="field">
      <label>
        {label}
        <textarea value={text} onChange={(event) => onType(event.target.value)} />
      </label>
      {children}
    </div>
  );
}
