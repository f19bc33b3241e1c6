import type { AnyApp, AppValue } from "./app-value.ts";
import type { DataStore, Db, HttpRequest, TimerValue, Withheld } from "./values.ts";

/** The value of `this.<prop>`, by the type of the prop. */
type ValueByType = {
  string: string;
  boolean: boolean;
  integer: number;
  object: Record<string, unknown>;
  any: unknown;
  data_store: DataStore;
  http_request: HttpRequest;
  dir: { path: string };
  sql: { auth: unknown; query: string; params: unknown[] };
  alert: undefined;
  "$.service.db": Db;
  "$.interface.http": { endpoint: string };
  "$.interface.timer": TimerValue;
  "$.interface.apphook": undefined;
};

/** Types with an array form, for several values. */
type ListedType = "string" | "boolean" | "integer" | "object" | "any";

/** Types for certain apps. */
type AppSpecificType = `$.airtable.${string}` | `$.discord.${string}`;

/** All types of a prop but `app`. */
type PropType = keyof ValueByType | `${ListedType}[]` | AppSpecificType;

/** One of several values to choose from. */
type Choice = string | number | boolean | { label: string; value: unknown };

/** The argument of `options()`, beside the input values of a `propDefinition`. */
type OptionsContext = { page: number; prevContext: Withheld; query: string } & Record<
  string,
  Withheld
>;

/** The return value of `options()`: choices, or a page of them with the context of the next. */
type Options =
  | readonly Choice[]
  | { options: readonly Choice[]; context?: Record<string, unknown> };

type Described = {
  label?: string;
  description?: string;
  optional?: boolean;
  default?: unknown;
  secret?: boolean;
  disabled?: boolean;
  hidden?: boolean;
  reloadProps?: boolean;
  options?: readonly Choice[] | ((context: OptionsContext) => Options | Promise<Options>);
  useQuery?: boolean;
  withLabel?: boolean;
  min?: number;
  max?: number;
  customResponse?: boolean;
  static?: unknown;
  /** For an `alert`: its tone, and its text, which may be Markdown. */
  alertType?: "info" | "neutral" | "warning" | "error";
  content?: string;
  /** For a `$.interface.apphook`: the prop of its app, and the names of its events. */
  appProp?: string;
  eventNames?: readonly string[] | (() => readonly string[] | Promise<readonly string[]>);
};

/** A prop with a type of its own. */
export type TypedProp = Described & { type: PropType };

/** A prop with a definition of an app. */
type InheritedProp = Described & {
  type?: PropType;
  propDefinition: readonly [AnyApp, string, InputValues?];
};

/** The input values of a definition, or a function that computes them from the current configuration. */
type InputValues = Record<string, unknown> | ((configured: Withheld) => Record<string, unknown>);

/** A prop in a component's declaration: only a type, an app, or a description. */
type Prop = PropType | AnyApp | TypedProp | InheritedProp;
export type Props = Record<string, Prop>;

/** Common fields of a prop. */
type PropField = keyof InheritedProp;

/** Props without unknown fields: a misspelled one is a type error. */
export type WithoutUnknown<P> = {
  [Name in keyof P]: P[Name] extends string | AnyApp
    ? unknown
    : { [Field in Exclude<keyof P[Name], PropField>]?: never };
};

type ValueOfType<T> = T extends keyof ValueByType
  ? ValueByType[T]
  : T extends `${infer Element}[]`
    ? ValueOfType<Element>[]
    : unknown;

type Labelled<V> = V extends readonly (infer Element)[]
  ? { label: string; value: Element }[]
  : { label: string; value: V };

type Interface<P> = P extends { customResponse: true }
  ? { endpoint: string; respond(response?: HttpResponse): void }
  : { endpoint: string };

type FullValue<P, T> = T extends "$.interface.http"
  ? Interface<P>
  : P extends { withLabel: true }
    ? Labelled<ValueOfType<T>>
    : ValueOfType<T>;

/** An optional prop has a value if it has a default. */
type Presence<P> = P extends { default: unknown }
  ? never
  : P extends { optional: true }
    ? undefined
    : never;

/** The prop of `propDefinition`, overridden by the component's own fields. */
type Inherited<P> = P extends { propDefinition: readonly [infer A, infer Name, ...unknown[]] }
  ? A extends { propDefinitions?: infer Definitions }
    ? Name extends keyof NonNullable<Definitions>
      ? Omit<NonNullable<Definitions>[Name], keyof P> & Omit<P, "propDefinition">
      : never
    : never
  : P;

type ValueOfTyped<P> = P extends { type: infer T } ? FullValue<P, T> | Presence<P> : unknown;

/** The value of a prop. */
type ValueOf<P> = P extends string
  ? ValueOfType<P>
  : P extends { type: "app" }
    ? AppValue<P>
    : ValueOfTyped<Inherited<P>>;

/** The values of all props. */
export type ValuesOf<P> = { [Name in keyof P]: ValueOf<P[Name]> };

/** The type of a prop in any form of declaration. */
export type TypeOf<P> = P extends string ? P : P extends { type: infer T } ? T : never;

/** The argument of `respond()`. */
export type HttpResponse = {
  status: number;
  headers?: Record<string, string | readonly string[]>;
  /** Text, bytes, a stream of either, or a value, which is sent as JSON. */
  body?: unknown;
};
