import "./help.ts";
import { errorMessage } from "#domain/errors.ts";

import { buildSite } from "./site/build.ts";

try {
  const startedAtMs = Date.now();
  const isBuilt = await buildSite();
  console.log(isBuilt ? `built assets/docs in ${Date.now() - startedAtMs} ms` : "up to date");
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 1;
}
