import type { AnyInstance, Authorised, Methods, None } from "./app-value.ts";
import type { TypedProp } from "./props.ts";

/** An app: its account, its prop definitions for components, and its functions. */
type App<Definitions, M> = {
  type: "app";
  /** The slug of the app, the same as that of its accounts. */
  app: string;
  propDefinitions?: { [Name in keyof Definitions]: Definitions[Name] } & ThisType<AnyInstance>;
  methods?: M;
} & ThisType<M & Authorised>;

/** Declare an app. Returns its argument. */
export function defineApp<
  const Definitions extends Record<string, TypedProp> = None,
  M extends Methods = None,
>(app: App<Definitions, M>): App<Definitions, M> {
  return app;
}
