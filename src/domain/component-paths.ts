/** Folders and files of a collection that hold no components. */
const NOT_COMPONENTS: ReadonlySet<string> = new Set([
  "common",
  "node_modules",
  "dist",
  "test",
  "tests",
]);

/** A file of code below the sources or the actions of an app. */
const PLACE = /(?:^|\/)([^/]+)\/(sources|actions)\/(.+)$/;
const SAYS_KEY = /^\s*key:\s*["'`]/m;
const SAYS_VERSION = /^\s*version:\s*["'`]/m;
const CODE = /^(?!.*\.d\.ts$).*\.(?:mjs|js|ts)$/;

/**
 * Whether a file of a collection with the layout `<app>/{sources,actions}/…` contains a component: it has the name of
 * its folder, or its text contains a key and a version.
 */
export function isComponentFile(path: string, text: string): boolean {
  const [, , , below = ""] = PLACE.exec(path) ?? [];
  const folders = path.split("/");
  const name = (folders.pop() ?? "").replace(/\.[^.]+$/, "");
  const parts = below.split("/").slice(0, -1);
  if (!CODE.test(below) || [...parts, name].some((part) => NOT_COMPONENTS.has(part))) return false;
  return name === folders.at(-1) || (SAYS_KEY.test(text) && SAYS_VERSION.test(text));
}

const MAX_PATH_LENGTH = 512;
/** Of a folder or a file: no name that leaves the folder, or that no file system can store. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\\p{C}]+$/u;

/** Whether a path names a file below the component's folder. */
export function isFilePath(path: string): boolean {
  return path.length <= MAX_PATH_LENGTH && path.split("/").every((part) => SEGMENT.test(part));
}
