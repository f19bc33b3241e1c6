/** A node of the syntax tree, as far as the rule reads it. */
type Node = {
  type: string;
  name?: string;
  callee?: Node;
  object?: Node;
  property?: Node;
  arguments?: Node[];
  source?: { value: string };
  parent?: Node | null;
};

type Context = { report(problem: { node: Node; message: string }): void };

const MESSAGE =
  "A test must not sleep: wait for what it expects (expect.poll, vi.waitFor, a promise, an alarm that it runs), or move the clock.";

const isNamed = (node: Node | undefined, name: string): boolean =>
  node?.type === "Identifier" && node.name === name;

const isMember = (node: Node | undefined, object: string, property: string): boolean =>
  isNamed(node?.object, object) && isNamed(node?.property, property);

/** Whether a node is in the executor of a new promise. */
function isInPromise({ parent }: Node): boolean {
  if (!parent) return false;
  if (parent.type === "NewExpression" && isNamed(parent.callee, "Promise")) return true;
  return isInPromise(parent);
}

/** Whether a call is a timer that ends a promise: in its executor, or as `setTimeout(resolve, 10)`. */
function isTimedPromise(node: Node): boolean {
  const { callee } = node;
  if (!isNamed(callee, "setTimeout") && !isMember(callee, "globalThis", "setTimeout")) return false;
  const [callback, delay] = node.arguments ?? [];
  return isInPromise(node) || (callback?.type === "Identifier" && delay !== undefined);
}

const isWait = ({ callee }: Node): boolean => isMember(callee, "scheduler", "wait");

/** Forbids sleeps, in tests: whether one is long enough depends on the machine. */
export default {
  meta: { name: "wellspring" },
  rules: {
    "no-sleep": {
      create: (context: Context) => ({
        ImportDeclaration(node: Node) {
          if (/^(?:node:)?timers\/promises$/.test(node.source?.value ?? ""))
            context.report({ node, message: MESSAGE });
        },
        CallExpression(node: Node) {
          if (isTimedPromise(node) || isWait(node)) context.report({ node, message: MESSAGE });
        },
      }),
    },
  },
};
