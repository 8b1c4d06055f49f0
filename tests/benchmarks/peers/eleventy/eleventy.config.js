export default function () {
  return { dir: { input: "src", output: "out" }, templateFormats: ["11ty.js"] };
}
