// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";
import type { Moves } from "./useMoves";

interface Props {
  card: Doc<"cards">;
  above: Doc<"cards"> | undefined;
  below: Doc<"cards"> | undefined;
  lists: Doc<"lists">[];
  moves: Moves;
}

/** A card in its list. It goes up, down, or to the bottom of another list. */
export function CardItem({ card, above, below, lists, moves }: Props) {
  const refusal = moves.refusalOf(card._id);
  return (
    <li>
      <h3>{card.title}</h3>
      {card.closedAt !== undefined && <span>Closed</span>}
      {card.isBlocked && <span>Blocked</span>}
      {moves.isSaving(card._id) && <span className="saving">Saving</span>}
      <button
        disabled={above === undefined}
        onClick={() => above && moves.move(card._id, card.list, { kind: "before", card: above._id })}
      >
        Up
      </button>
      <button
        disabled={below === undefined}
        onClick={() => below && moves.move(card._id, card.list, { kind: "after", card: below._id })}
      >
        Down
      </button>
      {lists
        .filter((list) => list._id !== card.list)
        .map((list) => (
          <button
            key={list._id}
            onClick={() => moves.move(card._id, list._id, { kind: "bottom" })}
          >
            {`To ${list.name}`}
          </button>
        ))}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
