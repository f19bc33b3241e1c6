const EXTENSIONS = [".mjs", ".js", ".cjs", ".ts", ".mts", ".cts", ".json"];

/** TypeScript names the compiled file; the folder has its source. */
const SOURCES: Record<string, string> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" };

/** Whether a specifier names a file rather than a package. */
export function isRelative(specifier: string): boolean {
  return /^(?:\.{0,2}\/|\.{1,2}$)/.test(specifier);
}

/** Join a relative specifier to the path of its importer; nothing climbs above the root. */
export function joined(importer: string, specifier: string): string {
  const segments = specifier.startsWith("/") ? [] : importer.split("/").slice(0, -1);
  for (const segment of specifier.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return segments.join("/");
}

/** The files that an import of `path` may mean, likeliest first. */
export function candidates(path: string): string[] {
  const [, stem = path, extension = ""] = /^(.*?)(\.[cm]?js)?$/s.exec(path) ?? [];
  const source = SOURCES[extension];
  return [
    path,
    ...(source === undefined ? [] : [stem + source]),
    ...EXTENSIONS.map((ending) => path + ending),
    ...EXTENSIONS.map((ending) => `${path}/index${ending}`),
  ];
}
