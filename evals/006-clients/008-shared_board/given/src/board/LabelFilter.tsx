// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";

export type Label = NonNullable<Doc<"cards">["label"]>;

const LABELS: Label[] = ["bug", "feature", "chore"];

interface Props {
  label: Label | undefined;
  onChange: (label: Label | undefined) => void;
}

/** A choice of the cards that the lists show. */
export function LabelFilter({ label, onChange }: Props) {
  return (
    <label>
      Label
      <select
        value={label ?? ""}
        onChange={(event) => onChange(LABELS.find((one) => one === event.target.value))}
      >
        <option value="">all</option>
        {LABELS.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}
