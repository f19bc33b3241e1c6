import type { Withheld } from "./values.ts";

/** The functions of a component or an app. */
export type Methods = Record<string, (...args: Withheld[]) => unknown>;

/** The type of absent members. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an object without any known name.
export type None = Record<never, never>;

/** The `this` of `options`, which is declared before the functions that it calls, without their types. */
export type AnyInstance = Withheld;

/** An app for references from components. */
export type AnyApp = {
  type: "app";
  app: string;
  propDefinitions?: object;
  methods?: object;
};

/** The credentials of the connected account. */
export type Authorised = { $auth: Record<string, string> };

/** The value of `this.<app>`. */
export type AppValue<A> = Authorised & (A extends { methods?: infer M } ? NonNullable<M> : None);
