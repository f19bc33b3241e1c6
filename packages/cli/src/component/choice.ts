import { existsSync } from "node:fs";

import { misuse } from "../failure.ts";
import { type ComponentFiles, readComponent } from "./files.ts";

/** The fields of a request that name a component. */
export type Choice =
  | { component_files: Record<string, string>; entry: string }
  | { component_url: string }
  | { component_id: string }
  | { key: string };

/** The component of a PATH, URL, id or KEY on the command line. */
export async function chosen(given: string): Promise<Choice> {
  if (/^https?:\/\//.test(given)) return { component_url: given };
  if (/^sc_\w+$/.test(given)) return { component_id: given };
  if (existsSync(given)) return choiceOf(await readComponent(given));
  if (!/^[\w@-]+$/.test(given))
    throw misuse(`There is no file ${given}`, "name the file of a component, a URL or a key");
  return { key: given };
}

/** Files in the form of the API. */
export function choiceOf({ entry, files }: ComponentFiles): Choice {
  return { component_files: files, entry };
}
