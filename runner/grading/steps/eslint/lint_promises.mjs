// Which expressions of a file can be a promise, told by syntax as far as that goes.
//
// "Plain" is what is no promise: not "always" one, as a condition must not be; not "sometimes" one,
// as what is spread must not be; or not "ever" one or an array of them, as nobody may leave unawaited.
// Where that hangs on what is not in the file, `holds(kind, name, how)` is asked: for a "function" of
// another file, or a "method" of this name.
//
// Parameters, members of objects and values that are imported count as plain. A test of one of
// these by `if`, `?:` or `&&` that can only go one way is found by TypeScript itself (TS2801).

const words = (text) => new Set(text.split(" "));

const CONVERTERS = words(
  "BigInt Boolean Number String decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN parseFloat parseInt",
);
const PLAIN_TYPES = words(
  "TSAnyKeyword TSBigIntKeyword TSBooleanKeyword TSLiteralType TSNeverKeyword TSNullKeyword TSNumberKeyword TSStringKeyword TSTemplateLiteralType TSTypePredicate TSUndefinedKeyword TSUnknownKeyword TSVoidKeyword",
);
/** Methods of arrays that take a test. */
const TESTING = words("every filter find findIndex findLast findLastIndex some");
/** Methods of arrays that may leave an array of promises, which awaiting it does not await. */
const MAKES_ARRAYS = words("map flatMap filter concat slice flat from of");
/** What tests of a model's import from vitest, and of that what is a promise or leads to one. */
const OF_VITEST = words("afterAll afterEach beforeAll beforeEach describe expect it test vi");
const LATE_IN_VITEST =
  /Async$|^(?:dynamicImportSettled|extend|importActual|importMock|poll|rejects|resolves|toMatchFileSnapshot|wait\w+)$/;

export class Promises {
  #sourceCode;
  #holds;
  /** What is being followed, so that what leads back to itself ends. */
  #under = new Set();

  constructor(sourceCode, holds) {
    this.#sourceCode = sourceCode;
    this.#holds = holds;
  }

  /** Whether a statement's expression can leave a promise that nobody awaits. */
  mayFloat(node) {
    switch (node.type) {
      case "AssignmentExpression":
      case "Literal":
      case "UnaryExpression":
      case "UpdateExpression":
        return false;
      case "AwaitExpression":
        return node.argument.type === "CallExpression" && MAKES_ARRAYS.has(methodOf(node.argument));
      case "CallExpression":
        return !isHandled(node) && !this.#isPlain(node, "ever");
      case "ChainExpression":
        return this.mayFloat(node.expression);
      case "ConditionalExpression":
        return this.mayFloat(node.consequent) || this.mayFloat(node.alternate);
      case "LogicalExpression":
        return (node.operator !== "&&" && this.mayFloat(node.left)) || this.mayFloat(node.right);
      case "SequenceExpression":
        return node.expressions.some((each) => this.mayFloat(each));
      default:
        return true;
    }
  }

  /** Whether what is tested can be a promise, of which a test only tells that it is there. */
  mayMislead(node) {
    if (node.type === "LogicalExpression") {
      return this.mayMislead(node.left) || this.mayMislead(node.right);
    }
    return !this.#isPlain(node, "always");
  }

  /** Whether what is spread can be a promise, of which nothing would be taken. */
  maySpread(node) {
    return !this.#isPlain(node, "sometimes");
  }

  /** Whether a call hands a method of arrays a test that can answer with a promise. */
  mayTestLate(call) {
    const [test] = call.arguments;
    return TESTING.has(methodOf(call)) && test !== undefined && !this.#isPlainFunction(test);
  }

  /** Whether a function that is written down here surely returns no promise. */
  returnsPlain(node) {
    if (node.async || node.generator || !node.body) return false;
    if (node.returnType) return isPlainType(node.returnType.typeAnnotation);
    const returned = node.body.type === "BlockStatement" ? returnedIn(node.body) : [node.body];
    return this.#follow(node, false, () => returned.every((each) => this.#isPlain(each, "ever")));
  }

  #isPlainFunction(node) {
    if (isFunction(node)) return this.returnsPlain(node);
    return node.type === "Identifier" && this.#isPlainFunctionNamed(node);
  }

  #isPlainFunctionNamed(identifier) {
    const definition = this.#definitionOf(identifier);
    switch (definition?.type) {
      case undefined:
        return CONVERTERS.has(identifier.name);
      case "FunctionName":
        return this.returnsPlain(definition.node);
      case "ImportBinding": {
        const { imported } = definition.node;
        const isOwn = definition.parent.source.value.startsWith(".");
        return isOwn && imported?.type === "Identifier" && this.#holds("function", imported.name);
      }
      case "Variable": {
        const { id, init } = definition.node;
        // What sets a state, the second of what React's hook returns, returns nothing.
        if (init?.callee?.name === "useState") return id.elements?.[1] === definition.name;
        return isFunction(init) && definition.parent.kind === "const" && this.returnsPlain(init);
      }
      default:
        return false;
    }
  }

  #isPlain(node, how) {
    switch (node.type) {
      case "AssignmentExpression":
        return this.#isPlain(node.right, how);
      case "CallExpression":
        return this.#isPlainCall(node, how);
      case "ChainExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
        return this.#isPlain(node.expression, how);
      case "ConditionalExpression":
        return this.#isPlain(node.consequent, how) && this.#isPlain(node.alternate, how);
      case "Identifier":
        return this.#isPlainVariable(node, how);
      case "ImportExpression":
      case "TaggedTemplateExpression":
      case "YieldExpression":
        return false;
      case "LogicalExpression":
        return this.#isPlain(node.left, "ever") && this.#isPlain(node.right, how);
      case "NewExpression":
        return this.#isGlobal(node.callee) && node.callee.name !== "Promise";
      case "SequenceExpression":
        return this.#isPlain(node.expressions.at(-1), how);
      case "TSNonNullExpression":
        return this.#isPlain(node.expression, "ever");
      default:
        return true;
    }
  }

  #isPlainCall({ callee }, how) {
    if (this.#isPlainInVitest(callee)) return true;
    switch (callee.type) {
      case "Super":
        return true;
      case "Identifier":
        // What React's hooks return is there at once.
        return /^use[A-Z]/.test(callee.name) || this.#isPlainFunctionNamed(callee);
      case "MemberExpression":
        return !callee.computed && this.#holds("method", callee.property.name, how);
      default:
        return this.#isPlainFunction(callee);
    }
  }

  /** Whether it is `expect(…).toBe`, `test.each(…)`, `vi.useFakeTimers` or the like. */
  #isPlainInVitest(called) {
    let node = called;
    while (node.type !== "Identifier") {
      if (node.type === "MemberExpression" && LATE_IN_VITEST.test(node.property.name)) return false;
      node = node.object ?? node.callee;
      if (!node) return false;
    }
    const definition = this.#definitionOf(node);
    return (
      definition?.type === "ImportBinding" &&
      definition.parent.source.value === "vitest" &&
      OF_VITEST.has(definition.node.imported?.name)
    );
  }

  /** Follows a variable to what it was declared with, and to all that is assigned to it. */
  #isPlainVariable(identifier, how) {
    const variable = this.#variableOf(identifier);
    const [definition] = variable?.defs ?? [];
    if (definition?.type !== "Variable" || definition.node.id.type !== "Identifier") return true;
    const { init } = definition.node;
    const written = variable.references.map(({ writeExpr }) => writeExpr);
    return this.#follow(variable, true, () =>
      written.every((each) => !each || this.#isPlain(each, each === init ? how : "ever")),
    );
  }

  #isGlobal(node) {
    return node.type === "Identifier" && !this.#definitionOf(node);
  }

  #definitionOf(identifier) {
    return this.#variableOf(identifier)?.defs[0];
  }

  /** The variable of that name, where one is declared in the file. */
  #variableOf(identifier) {
    for (let scope = this.#sourceCode.getScope(identifier); scope; scope = scope.upper) {
      const variable = scope.set.get(identifier.name);
      if (variable?.defs.length > 0) return variable;
    }
    return undefined;
  }

  #follow(node, otherwise, ask) {
    if (this.#under.has(node)) return otherwise;
    this.#under.add(node);
    const answer = ask();
    this.#under.delete(node);
    return answer;
  }
}

/** Whether an expression, where there is one, is a function written down. */
export function isFunction(node) {
  return node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";
}

/** The name of the method that a call calls, where it calls one by its name. */
function methodOf({ callee }) {
  return callee.type === "MemberExpression" && !callee.computed ? callee.property.name : undefined;
}

/** Whether a call is `.then(…, function)` or `.catch(function)`. */
function isHandled(call) {
  const handler = { then: call.arguments[1], catch: call.arguments[0] }[methodOf(call)];
  return isFunction(handler);
}

function isPlainType(node) {
  return node.type === "TSUnionType" ? node.types.every(isPlainType) : PLAIN_TYPES.has(node.type);
}

/** What the statements below a node return, without those of functions and classes there. */
function returnedIn(node) {
  if (typeof node?.type !== "string" || /Function|^Class/.test(node.type)) return [];
  if (node.type === "ReturnStatement") return node.argument ? [node.argument] : [];
  return Object.entries(node).flatMap(([key, child]) =>
    key === "parent" ? [] : [child].flat().flatMap(returnedIn),
  );
}
