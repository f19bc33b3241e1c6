/** Maximum text of a licence that is read, and maximum length of its name. */
const MAX_TEXT = 50_000;
const MAX_NAME = 200;

/** The part of a licence with its name. Further down it may name others. */
const HEADING = 400;

const FILE = /^(?:licen[cs]e|copying)(?:[.-][^/]*)?$/i;

/** Licences that their heading names. */
const HEADED: readonly [name: string, heading: RegExp][] = [
  ["Elastic-2.0", /elastic license 2\.0/],
  ["PolyForm-Noncommercial-1.0.0", /polyform noncommercial license 1\.0\.0/],
  ["Apache-2.0", /apache license,? version 2\.0/],
  ["MPL-2.0", /mozilla public license,? version 2\.0/],
];
const GNU = /gnu (?:(affero|lesser|library) )?general public license,? version (\d(?:\.\d)?)/;

/**
 * The licence of a file by its surroundings: that of the nearest folder above with a licence in its manifest, or a
 * licence's text. If there are both and they differ, both apply: `A AND B`. An unknown text is `SEE LICENSE IN` its
 * file; null if there is neither.
 */
export function licenseOf(files: Record<string, string>, path: string): string | null {
  const candidates = Object.keys(files).filter(isLicenseFile).toSorted();
  for (const folder of foldersAbove(path)) {
    const texts = candidates.filter((candidate) => folderOf(candidate) === folder);
    const stated = statedBy(textOf(files, `${folder}package.json`));
    const named = stated === undefined ? undefined : followed(files, folder, stated);
    const license = combined(
      named,
      texts.map((file) => licenseIn(files, file)),
    );
    if (license !== undefined) return license;
  }
  return null;
}

/** Combine a manifest's statement with the texts beside it, which often are those of its choices. */
function combined(stated: string | undefined, texts: readonly string[]): string | undefined {
  if (stated === undefined) return texts[0];
  const other = texts.find((text) => !covers(stated, text));
  if (other === undefined) return stated;
  return clean(`${/ or /i.test(stated) ? `(${stated})` : stated} AND ${other}`);
}

/** Whether a statement names a licence, perhaps with later versions of it. */
function covers(stated: string, license: string): boolean {
  const names = stated.toLowerCase().split(/[()\s]+/);
  const name = license.toLowerCase();
  const isSame = stated.toLowerCase() === name;
  return isSame || ["", "-only", "-or-later", "+"].some((end) => names.includes(`${name}${end}`));
}

function licenseIn(files: Record<string, string>, file: string): string {
  return recognised(files[file] ?? "") ?? clean(`SEE LICENSE IN ${file}`);
}

/** Whether a path is that of a licence's text. */
export function isLicenseFile(path: string): boolean {
  return FILE.test(path.slice(path.lastIndexOf("/") + 1));
}

/** The folders that a file is in, the nearest first, each with its slash; the last is "". */
export function foldersAbove(path: string): string[] {
  const folders = path.split("/").slice(0, -1);
  return [...folders, ""].map((_, depth) =>
    folders.slice(0, folders.length - depth).reduce((all, folder) => `${all}${folder}/`, ""),
  );
}

/** Licences that may be published, in lower case; undefined: all. */
export type AllowedLicenses = ReadonlySet<string> | undefined;

/** The licences of a comma list; an empty one allows all. */
export function allowedLicenses(setting: string): AllowedLicenses {
  const names = setting.split(",").map((name) => name.trim().toLowerCase());
  const given = names.filter((name) => name !== "");
  return given.length === 0 ? undefined : new Set(given);
}

/** Whether a licence may be published. Of `A OR B` one must be on the list, of `A AND B` both; `none` allows null. */
export function isAllowed(allowed: AllowedLicenses, license: string | null): boolean {
  if (allowed === undefined) return true;
  const name = (license ?? "none").trim().toLowerCase();
  if (allowed.has(name)) return name !== "none" || license === null;
  const bare = /^\([^()]*\)$/.test(name) ? name.slice(1, -1) : name;
  if (license === null || /[()]/.test(bare)) return false;
  return bare
    .split(/ or /)
    .some((choice) => choice.split(/ and /).every((part) => allowed.has(part.trim())));
}

/** The folder of a file, with its slash. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function textOf(files: Record<string, string>, path: string): string | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}

/** For a statement that only points to a file: the licence of that file. */
function followed(files: Record<string, string>, folder: string, stated: string): string {
  const [, file] = /^see licen[cs]e in (?:\.\/)?(.+)$/i.exec(stated) ?? [];
  const path = `${folder}${file}`;
  return file !== undefined && textOf(files, path) !== undefined ? licenseIn(files, path) : stated;
}

/** The licence that a manifest states; undefined if there is none, or it cannot be parsed. */
function statedBy(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const { license, licenses } = parsed(text);
  const all = license === undefined && Array.isArray(licenses) ? licenses : [license];
  const names = all.map(nameOf).filter((name) => name !== "");
  return names.length === 0 ? undefined : clean(names.join(" OR "));
}

function nameOf(stated: unknown): string {
  if (typeof stated === "string") return clean(stated);
  const { type } = fieldsOf(stated);
  return typeof type === "string" ? clean(type) : "";
}

function parsed(text: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function clean(name: string): string {
  return name
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_NAME);
}

/** The licence of a text; undefined if it is not a known one, contains several, or adds conditions. */
function recognised(text: string): string | undefined {
  const plain = text
    .slice(0, MAX_TEXT)
    .toLowerCase()
    .replaceAll(/[\s*#_=-]+/g, " ");
  if (plain.includes("commons clause")) return undefined;
  // It names its later licence.
  if (plain.includes("business source license 1.1") && plain.includes("change license"))
    return "BUSL-1.1";
  const heading = plain.slice(0, HEADING);
  const headed = HEADED.filter(([, pattern]) => pattern.test(heading)).map(([name]) => name);
  const names = [...headed, ...gnuIn(heading), ...permissiveIn(plain)];
  return names.length === 1 ? names[0] : undefined;
}

function gnuIn(heading: string): string[] {
  const [found, kind, version = ""] = GNU.exec(heading) ?? [];
  if (found === undefined) return [];
  const prefix = kind === "affero" ? "A" : kind === undefined ? "" : "L";
  return [`${prefix}GPL-${version.includes(".") ? version : `${version}.0`}`];
}

/** Licences without a name in their text. */
function permissiveIn(plain: string): string[] {
  const names: string[] = [];
  if (
    plain.includes(
      "permission is hereby granted, free of charge, to any person obtaining a copy",
    ) &&
    plain.includes("the above copyright notice and this permission notice")
  )
    names.push("MIT");
  if (
    /permission to use, copy, modify, and(?:\/or)? distribute this software for any purpose with or without fee is hereby granted, provided/.test(
      plain,
    )
  )
    names.push("ISC");
  if (plain.includes("redistribution and use in source and binary forms"))
    names.push(...bsdIn(plain));
  return names;
}

function bsdIn(plain: string): string[] {
  if (plain.includes("all advertising materials")) return [];
  return [plain.includes("neither the name") ? "BSD-3-Clause" : "BSD-2-Clause"];
}
