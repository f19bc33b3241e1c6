import "./help.ts";
import { parseArgs } from "node:util";

import { ENVIRONMENTS } from "./deploy/config.ts";
import { rotateKey } from "./deploy/rotation.ts";
import { Refusal } from "./local/refusal.ts";

const USAGE = "npm run rotate-key -- --url <origin> [--env production|staging] [--finish]";

try {
  const { values } = parseArgs({
    options: {
      url: { type: "string" },
      env: { type: "string", default: "production" },
      finish: { type: "boolean", default: false },
    },
  });
  const environment = ENVIRONMENTS.find((name) => name === values.env);
  if (!environment || !values.url) throw new Refusal(USAGE);
  await rotateKey(
    { environment, origin: values.url, finish: values.finish },
    { print: (line) => console.log(line) },
  );
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
