// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { Board } from "./board/Board";
import { MovesProvider } from "./board/moves";

/** The whole page, for the person who uses it. */
export default function App({ me }: { me: string }) {
  return (
    <main>
      <h1>Board</h1>
      <MovesProvider>
        <Board me={me} />
      </MovesProvider>
    </main>
  );
}
