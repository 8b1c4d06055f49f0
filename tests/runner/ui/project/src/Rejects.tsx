export default function App() {
  return <button onClick={() => void Promise.reject(new Error("left alone"))}>Go</button>;
}
