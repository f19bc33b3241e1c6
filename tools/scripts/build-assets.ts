import "./help.ts";
import { errorMessage } from "#domain/errors.ts";

import { buildPart } from "./assets/part.ts";
import { PARTS } from "./assets/parts.ts";

const [name] = process.argv.slice(2);
try {
  for (const part of PARTS.filter((each) => name === undefined || each.name === name)) {
    const startedAtMs = Date.now();
    const isBuilt = await buildPart(part);
    const outcome = isBuilt ? `built in ${Date.now() - startedAtMs} ms` : "up to date";
    console.log(`assets/${part.name}: ${outcome}`);
  }
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 1;
}
