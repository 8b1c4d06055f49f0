// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";
import type { Place } from "../../convex/lib/ranks";
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
  const { open, refusal } = moves.stateOf(card._id);

  const move = (list: Doc<"cards">["list"], place: Place) => {
    void moves.move({ card: card._id, list, place });
  };

  return (
    <li>
      <h3>{card.title}</h3>
      {card.closedAt !== undefined && <span>Closed</span>}
      {card.isBlocked && <span>Blocked</span>}
      {open > 0 && <span className="saving">Saving</span>}
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
