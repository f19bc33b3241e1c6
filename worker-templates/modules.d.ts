/** What each isolate has beside the harness: the component's bundle, and the expressions of a workflow's step. */
declare module "*/component.js" {
  const component: { __esModule?: boolean; default?: unknown } | undefined;
  export default component;
}

declare module "*/expressions.js" {
  const computed: Record<string, (steps: unknown) => unknown>;
  export default computed;
}
