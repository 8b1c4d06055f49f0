// Rules about answers as a whole: no part of one may be kept from the checks.

/**
 * Looked for in the text and not in comments: which comments the type checker obeys, of what form
 * and in which places, is its own affair, and differs between its versions.
 */
const TOLD_TO_LOOK_AWAY = /@ts-(?:expect-error|ignore|nocheck)/g;

const noTsComment = {
  create(context) {
    const { text } = context.sourceCode;
    return {
      Program() {
        for (const { 0: found, index } of text.matchAll(TOLD_TO_LOOK_AWAY)) {
          const loc = context.sourceCode.getLocFromIndex(index);
          context.report({ loc, message: `"${found}" is not allowed: make the types right.` });
        }
      },
    };
  },
};

/** The bundler puts texts together and chooses between them, so only a plain one is what it says. */
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
        // A function of the answer's own may have that name.
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

/** Code that stands in a text is seen by no check of an answer. */
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
