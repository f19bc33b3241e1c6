/** A prop in the form of the API: its name, its type, and further fields of its component. */
export type ConfigurableProp = { name: string; type: string } & { [key: string]: unknown };

/** Values of props by name, in the form of the API. */
export type Values = Record<string, unknown>;

/** One of several values to choose from. */
export type Choice = { label: string; value: unknown };

/** A prop for the form. */
export type PropSpec = {
  name: string;
  /** The type of one value: `string` of `string[]`. */
  type: string;
  isList: boolean;
  label: string;
  description: string | undefined;
  isOptional: boolean;
  isSecret: boolean;
  isDisabled: boolean;
  /** A change of this prop may change the component's props. */
  reloadsProps: boolean;
  /** The static choices of the prop. */
  choices: Choice[] | undefined;
  /** A function of the component returns the choices. */
  hasRemoteChoices: boolean;
  /** That function accepts a search text. */
  searchesChoices: boolean;
  keepsLabels: boolean;
  min: number | undefined;
  max: number | undefined;
  default: unknown;
  /** The fixed schedule of a timer. */
  fixed: unknown;
  /** The slug of the app of an `app` prop. */
  app: string | undefined;
  /** The names of credentials that the code reads; `*`: all. */
  credentials: string[];
  content: string;
  alertType: string | undefined;
};

/** Triggers of a source are usually named after their type. */
const LABELS: Record<string, string> = {
  "$.interface.http": "HTTP endpoint",
  "$.interface.timer": "Timer",
};

/** Types of props without a field: the platform fills them in. */
const WITHOUT_FIELD = new Set(["$.service.db", "$.interface.apphook", "dir"]);

/** Types with a required value unless the prop is optional. */
const REQUIRED_TYPES = new Set([
  "string",
  "boolean",
  "integer",
  "number",
  "object",
  "any",
  "data_store",
  "http_request",
  "sql",
  "$.interface.timer",
]);

/** The props of a form, in the order of the component. */
export function specsOf(props: readonly ConfigurableProp[]): PropSpec[] {
  return props
    .filter((prop) => prop["hidden"] !== true && !WITHOUT_FIELD.has(prop.type))
    .map((prop) => specOf(prop));
}

function specOf(prop: ConfigurableProp): PropSpec {
  const isList = prop.type.endsWith("[]");
  return {
    name: prop.name,
    type: isList ? prop.type.slice(0, -2) : prop.type,
    isList,
    label: textIn(prop, "label") ?? LABELS[prop.type] ?? spelledOut(prop.name),
    description: textIn(prop, "description"),
    isOptional: prop["optional"] === true,
    isSecret: prop["secret"] === true,
    isDisabled: prop["disabled"] === true,
    reloadsProps: prop["reloadProps"] === true,
    ...choicesIn(prop),
    keepsLabels: prop["withLabel"] === true,
    min: numberIn(prop, "min"),
    max: numberIn(prop, "max"),
    default: prop["default"] ?? undefined,
    fixed: prop["static"] ?? undefined,
    app: textIn(prop, "app"),
    credentials: textsIn(prop["auth"]),
    content: textIn(prop, "content") ?? "",
    alertType: textIn(prop, "alertType"),
  };
}

function choicesIn(prop: ConfigurableProp) {
  const { options } = prop;
  return {
    choices: Array.isArray(options) ? options.map((option) => choiceOf(option)) : undefined,
    hasRemoteChoices: prop["remoteOptions"] === true,
    searchesChoices: prop["useQuery"] === true,
  };
}

/** A choice in a prop: only a value, or a value with its label. */
function choiceOf(option: unknown): Choice {
  if (!isObject(option)) return { label: shown(option), value: option };
  const { label, value = label ?? option } = option;
  return { label: shown(label ?? value), value };
}

/** Whether a source cannot be deployed without a value of this prop. */
export function isRequired({ type, isOptional, isDisabled, credentials }: PropSpec): boolean {
  if (isOptional || isDisabled) return false;
  return type === "app" ? credentials.length > 0 : REQUIRED_TYPES.has(type);
}

/** Whether the prop is only a text, without a value. */
export function isNote({ type }: PropSpec): boolean {
  return type === "alert" || type === "$.interface.http";
}

/** The text of a value for people. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textIn(prop: ConfigurableProp, field: string): string | undefined {
  const value = prop[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberIn(prop: ConfigurableProp, field: string): number | undefined {
  const value = prop[field];
  return typeof value === "number" ? value : undefined;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** A name in code as words: `pollInterval` becomes "Poll interval". */
function spelledOut(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll(/[_-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}
