export default function App() {
  return (
    <button
      onClick={() => {
        for (;;);
      }}
    >
      Go
    </button>
  );
}
