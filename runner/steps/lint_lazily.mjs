// Rules that ask for types, asked only where syntax leaves the question open.
//
// To know the type of one expression, TypeScript has to work out the types of a whole project's
// data model: most of what linting an answer costs. Most expressions cannot be a promise by the
// way they are written: what was awaited, compared, or written down as a value.

/**
 * Whether an expression is likely enough a promise to ask for its type: a call, or what was declared
 * by one. Conditions on others are found by the type checker itself (TS2801).
 */
function mayBePromise(node, scopes) {
  switch (node.type) {
    case "CallExpression":
      // What React's hooks return is there at once.
      return !/^use[A-Z]/.test(node.callee.name ?? "");
    case "NewExpression":
    case "ImportExpression":
      return true;
    case "ChainExpression":
    case "TSNonNullExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return mayBePromise(node.expression, scopes);
    case "UnaryExpression":
      return node.operator === "!" && mayBePromise(node.argument, scopes);
    case "ConditionalExpression":
      return [node.test, node.consequent, node.alternate].some((one) => mayBePromise(one, scopes));
    case "LogicalExpression":
      return mayBePromise(node.left, scopes) || mayBePromise(node.right, scopes);
    case "SequenceExpression":
      return mayBePromise(node.expressions.at(-1), scopes);
    case "Identifier":
      return variableMayBePromise(node, scopes);
    default:
      return false;
  }
}

/** Follows a variable to what it was declared with. */
function variableMayBePromise(node, scopes) {
  for (let scope = scopes.getScope(node); scope; scope = scope.upper) {
    const variable = scope.set.get(node.name);
    if (!variable) continue;
    const [definition] = variable.defs;
    if (definition?.type !== "Variable" || definition.node.id.type !== "Identifier") return false;
    return Boolean(definition.node.init) && mayBePromise(definition.node.init, scopes);
  }
  return false;
}

/** Methods of arrays that may leave an array of promises, which awaiting does not await. */
const MAKES_ARRAYS = new Set(["map", "flatMap", "filter", "concat", "slice", "flat", "from", "of"]);

/** What is declared by a call of these has only functions that return nothing. */
const RETURNS_NOTHING = new Set(["cronJobs", "useState"]);

/** Whether a call is of what `cronJobs()` or `useState()` made: jobs, or a setter of state. */
function returnsNothing(node, scopes) {
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  // Of the store that an optimistic update is given.
  if (callee.type === "MemberExpression" && callee.property.name === "setQuery") return true;
  const called = callee.type === "MemberExpression" ? callee.object : callee;
  if (called.type !== "Identifier") return false;
  for (let scope = scopes.getScope(called); scope; scope = scope.upper) {
    const variable = scope.set.get(called.name);
    if (!variable) continue;
    const init = variable.defs[0]?.node.init;
    return init?.type === "CallExpression" && RETURNS_NOTHING.has(init.callee.name);
  }
  return false;
}

/** Whether a statement's expression can leave a promise that nobody awaits. */
function mayFloat(node, scopes) {
  if (returnsNothing(node, scopes)) return false;
  if (node.type !== "AwaitExpression") return node.type !== "Literal";
  // What was awaited is no promise any more; it may be an array of them.
  const { argument } = node;
  if (argument.type !== "CallExpression") return true;
  const { callee } = argument;
  return callee.type === "MemberExpression" && MAKES_ARRAYS.has(callee.property.name);
}

/** Wraps no-floating-promises. */
export function lazyFloatingPromises(rule) {
  return {
    ...rule,
    create(context) {
      const { ExpressionStatement, ...others } = rule.create(context);
      return {
        ...others,
        ExpressionStatement: (node) => {
          if (mayFloat(node.expression, context.sourceCode)) ExpressionStatement(node);
        },
      };
    },
  };
}

/** Wraps no-misused-promises, for its checks of conditions, predicates and spreads. */
export function lazyMisusedPromises(rule) {
  return {
    ...rule,
    create(context) {
      const listeners = rule.create(context);
      const { sourceCode } = context;
      const scopes = sourceCode;
      const asks = {
        ConditionalExpression: (node) => node.test,
        DoWhileStatement: (node) => node.test,
        ForStatement: (node) => node.test,
        IfStatement: (node) => node.test,
        LogicalExpression: (node) => node.left,
        'UnaryExpression[operator="!"]': (node) => node.argument,
        WhileStatement: (node) => node.test,
        SpreadElement: (node) => node.argument,
      };
      const lazy = Object.entries(listeners).map(([selector, listen]) => {
        const asked = asks[selector];
        if (asked) {
          return [selector, (node) => asked(node) && mayBePromise(asked(node), scopes) && listen(node)];
        }
        if (selector === "CallExpression > MemberExpression") {
          return [selector, (node) => predicateMayBeAsync(node.parent) && listen(node)];
        }
        return [selector, listen];
      });
      return Object.fromEntries(lazy);
    },
  };
}

/** Whether a call hands over a function that may be asynchronous. */
function predicateMayBeAsync(call) {
  const [given] = call.arguments ?? [];
  if (!given) return false;
  const isWritten = ["ArrowFunctionExpression", "FunctionExpression"].includes(given.type);
  return isWritten ? given.async || given.body.type === "CallExpression" : true;
}
