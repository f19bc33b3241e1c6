import "./help.ts";
import { parseArgs } from "node:util";

import { ENVIRONMENTS } from "./deploy/config.ts";
import { rotateKey } from "./deploy/rotation.ts";
import { rotateStateKey } from "./deploy/state-rotation.ts";
import { Refusal } from "./local/refusal.ts";
import { stateFolder } from "./local/settings.ts";

const USAGE =
  "npm run rotate-key [-- --url <origin> [--env production|staging] [--finish]]; without --url: the key of a state folder";

try {
  const { values } = parseArgs({
    options: {
      url: { type: "string" },
      env: { type: "string" },
      finish: { type: "boolean", default: false },
    },
  });
  const environment = ENVIRONMENTS.find((name) => name === (values.env ?? "production"));
  const isOfState = values.url === undefined && values.env === undefined && !values.finish;
  if (isOfState)
    await rotateStateKey({ stateDir: stateFolder(process.env), environment: process.env }, print);
  else {
    if (!environment || !values.url) throw new Refusal(USAGE);
    await rotateKey({ environment, origin: values.url, finish: values.finish }, { print });
  }
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}

function print(line: string): void {
  console.log(line);
}
