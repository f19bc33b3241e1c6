/**
 * The modules of each isolate without the harness: the component's bundle, and the expressions of a workflow's step.
 */
declare module "*/component.js" {
  const component: { __esModule?: boolean; default?: unknown } | undefined;
  export default component;
}

declare module "*/expressions.js" {
  const computed: Record<string, (steps: unknown) => unknown>;
  export default computed;
}

/** The function of an agent's program, after its frame in the same module. */
declare function program(
  apps: Record<string, Record<string, (args?: object) => Promise<unknown>>>,
  run: (action: string, args?: object) => Promise<unknown>,
): unknown;
