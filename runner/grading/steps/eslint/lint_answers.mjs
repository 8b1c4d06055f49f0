// ESLint rules for answers: an answer must not hide code from the checks.

/**
 * Comments that switch the type checker off. The whole text is searched, not only comments, because
 * versions of the type checker obey comments of different forms and places.
 */
const CHECKER_COMMENTS = /@ts-(?:expect-error|ignore|nocheck)/g;

const noTsComment = {
  create(context) {
    const { text } = context.sourceCode;
    return {
      Program() {
        for (const { 0: found, index } of text.matchAll(CHECKER_COMMENTS)) {
          const loc = context.sourceCode.getLocFromIndex(index);
          context.report({ loc, message: `"${found}" is not allowed: make the types right.` });
        }
      },
    };
  },
};

/** An import's path must be a plain text, because the bundler evaluates expressions of texts. */
const plainImports = {
  create(context) {
    const check = (source) => {
      const named = plainText(source);
      if (named === undefined) {
        context.report({
          node: source,
          message: "What is imported must be written out as a text.",
        });
      } else if (/^\s*data:/i.test(named)) {
        context.report({ node: source, message: "A data: address is imported instead of a file." });
      }
    };
    const checkStatement = ({ source }) => source && check(source);
    return {
      ImportDeclaration: checkStatement,
      ExportNamedDeclaration: checkStatement,
      ExportAllDeclaration: checkStatement,
      ImportExpression: checkStatement,
      TSExternalModuleReference: ({ expression }) => check(expression),
      CallExpression({ callee, arguments: given }) {
        if (callee.name !== "require" || given.length === 0) return;
        // The answer may define a function with this name: then it is not Node's.
        const { through } = context.sourceCode.scopeManager.globalScope;
        if (through.some(({ identifier }) => identifier === callee)) check(given[0]);
      },
    };
  },
};

function plainText(node) {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type !== "TemplateLiteral" || node.expressions.length > 0) return undefined;
  return node.quasis[0].value.cooked ?? undefined;
}

/** `eval` and `Function` are refused, because no check sees code in a text. */
const noCodeInTexts = {
  create(context) {
    const message = "Code must not be made of texts: neither the checks nor graders see it.";
    return {
      Program() {
        const { set, through } = context.sourceCode.scopeManager.globalScope;
        const declared = ["eval", "Function"].flatMap((name) => set.get(name)?.references ?? []);
        for (const { identifier, isValueReference } of [...declared, ...through]) {
          const isMeant = identifier.name === "eval" || identifier.name === "Function";
          if (isMeant && isValueReference !== false && identifier.parent.operator !== "instanceof")
            context.report({ node: identifier, message });
        }
      },
    };
  },
};

export const rules = {
  "no-ts-comment": noTsComment,
  "plain-imports": plainImports,
  "no-code-in-texts": noCodeInTexts,
};
