// Prints the patterns in JavaScript files as JSON: node collect.mjs TYPESCRIPT FILE...

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [typescript, ...files] = process.argv.slice(2);
const { default: ts } = await import(pathToFileURL(typescript).href);

/** Returns the patterns below a node; null stands for one that is built at run time. */
const patternsBelow = (node) => {
  const found = [];
  if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
    const end = node.text.lastIndexOf("/");
    found.push([node.text.slice(1, end), node.text.slice(end + 1)]);
  } else if (
    (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
    node.expression.getText() === "RegExp"
  ) {
    found.push(null);
  }
  ts.forEachChild(node, (child) => void found.push(...patternsBelow(child)));
  return found;
};

const found = files.map((file) => {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  return [file, patternsBelow(source)];
});
process.stdout.write(JSON.stringify(found));
