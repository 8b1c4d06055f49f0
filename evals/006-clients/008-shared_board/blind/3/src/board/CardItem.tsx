// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";
import { useMoves } from "./moves";

interface Props {
  card: Doc<"cards">;
  above: Doc<"cards"> | undefined;
  below: Doc<"cards"> | undefined;
  lists: Doc<"lists">[];
}

/** A card in its list. It goes up, down, or to the bottom of another list. */
export function CardItem({ card, above, below, lists }: Props) {
  const { move, isSaving, refusal } = useMoves(card);
  return (
    <li>
      <h3>{card.title}</h3>
      {card.closedAt !== undefined && <span>Closed</span>}
      {card.isBlocked && <span>Blocked</span>}
      {isSaving && <span className="saving">Saving</span>}
      <button
        disabled={above === undefined}
        onClick={() => above && move(card.list, { kind: "before", card: above._id })}
      >
        Up
      </button>
      <button
        disabled={below === undefined}
        onClick={() => below && move(card.list, { kind: "after", card: below._id })}
      >
        Down
      </button>
      {lists
        .filter((list) => list._id !== card.list)
        .map((list) => (
          <button key={list._id} onClick={() => move(list._id, { kind: "bottom" })}>
            {`To ${list.name}`}
          </button>
        ))}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
