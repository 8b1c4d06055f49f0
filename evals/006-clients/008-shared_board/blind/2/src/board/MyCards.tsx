// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import type { Moves } from "./useMoves";

interface Props {
  me: string;
  lists: Doc<"lists">[];
  moves: Moves;
}

/** The open cards of the person who uses the page, from whatever list. */
export function MyCards({ me, lists, moves }: Props) {
  const cards = useQuery(api.cards.ofPerson, { person: me });
  return (
    <section data-list="mine">
      <h2>My cards</h2>
      {cards === undefined && <p>Loading my cards</p>}
      <ul>
        {cards?.map((card) => (
          <MyCard key={card._id} card={card} lists={lists} moves={moves} />
        ))}
      </ul>
    </section>
  );
}

interface CardProps {
  card: Doc<"cards">;
  lists: Doc<"lists">[];
  moves: Moves;
}

function MyCard({ card, lists, moves }: CardProps) {
  const { open, refusal } = moves.stateOf(card._id);
  return (
    <li>
      <h3>{card.title}</h3>
      <p className="in">{lists.find((list) => list._id === card.list)?.name}</p>
      {open > 0 && <span className="saving">Saving</span>}
      {lists
        .filter((list) => list._id !== card.list)
        .map((list) => (
          <button
            key={list._id}
            onClick={() =>
              void moves.move({ card: card._id, list: list._id, place: { kind: "bottom" } })
            }
          >
            {`Send to ${list.name}`}
          </button>
        ))}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
