import { createTwoFilesPatch } from "diff";

import type { ComponentDefinition } from "./definition.ts";
import type { Json } from "./json.ts";

/** Maximum lines that may differ in one file: the time to compare it grows with their square. */
const MAX_CHANGED_LINES = 4000;

/** The value of a field in each of two versions; null: absent. */
type Change = { from: Json; to: Json };

/** The differences between two versions of a component. */
export type ComponentDiff = {
  /** A unified diff. */
  code: string;
  /** Files that differ too much to be compared. */
  omitted: string[];
  props: ({ name: string; change: "added" | "removed" | "changed" } & Change)[];
  fields: ({ field: string } & Change)[];
};

/** Files by their paths. */
type Files = Record<string, string>;

/** The unified diff of files that differ. */
export function diffFiles(from: Files, to: Files): Pick<ComponentDiff, "code" | "omitted"> {
  const paths = [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted();
  const changed = paths.filter((path) => textOf(from, path) !== textOf(to, path));
  const maxEditLength = Math.ceil(MAX_CHANGED_LINES / Math.sqrt(changed.length || 1));
  const omitted: string[] = [];
  const patches = changed.map((path) => {
    const [oldName, old] = sideOf(from, path);
    const [newName, now] = sideOf(to, path);
    const patch = createTwoFilesPatch(oldName, newName, old, now, "", "", {
      context: 3,
      maxEditLength,
    });
    if (patch === undefined) omitted.push(path);
    return patch ?? "";
  });
  return { code: patches.join(""), omitted };
}

/** A file's name in a patch, and its text. */
function sideOf(files: Files, path: string): [name: string, text: string] {
  const text = textOf(files, path);
  return text === undefined ? ["/dev/null", ""] : [path.replaceAll(/\p{C}/gu, "?"), text];
}

/** The differences between two definitions: props by name, and other fields. */
export function diffDefinitions(
  from: ComponentDefinition,
  to: ComponentDefinition,
): Pick<ComponentDiff, "props" | "fields"> {
  const { props: oldProps, ...oldFields } = from;
  const { props: newProps, ...newFields } = to;
  const props = changes(
    oldProps.map((prop) => [prop.name, prop]),
    newProps.map((prop) => [prop.name, prop]),
  ).map(({ name, ...change }) => {
    const kind = change.from === null ? "added" : change.to === null ? "removed" : "changed";
    return { name, change: kind, ...change } as const;
  });
  const fields = changes(Object.entries(oldFields), Object.entries(newFields))
    // It is derived from the code, whose differences are listed themselves.
    .filter(({ name }) => name !== "namesRespond")
    .map(({ name: field, ...change }) => ({ field, ...change }));
  return { props, fields };
}

function changes(
  from: readonly (readonly [string, unknown])[],
  to: readonly (readonly [string, unknown])[],
): ({ name: string } & Change)[] {
  const [old, now] = [jsonByName(from), jsonByName(to)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => old.get(name) !== now.get(name))
    .map((name) => ({ name, from: valueOf(old.get(name)), to: valueOf(now.get(name)) }));
}

function jsonByName(entries: readonly (readonly [string, unknown])[]): Map<string, string> {
  return new Map(entries.map(([name, value]) => [name, JSON.stringify(value) ?? "null"]));
}

function valueOf(text: string | undefined): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text of JSON.
  return text === undefined ? null : (JSON.parse(text) as Json);
}

function textOf(files: Files, path: string): string | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}
