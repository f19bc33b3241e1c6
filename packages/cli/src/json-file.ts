import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

import { misuse } from "./failure.ts";

/** The JSON of a file, or of stdin for `-`. */
export async function jsonIn(file: string): Promise<unknown> {
  const read = file === "-" ? text(process.stdin) : readFile(file, "utf8");
  const content = await read.catch(() => {
    throw misuse(`${file} cannot be read`);
  });
  try {
    return JSON.parse(content);
  } catch (error) {
    throw misuse(`${file} is not valid JSON: ${error instanceof Error ? error.message : ""}`);
  }
}
