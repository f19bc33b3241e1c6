import "./help.ts";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { openDeployed } from "./backup/deployed.ts";
import { openNewLocal } from "./backup/local.ts";
import { checkBackup, restoreBackup } from "./backup/restore.ts";
import { ENVIRONMENTS } from "./deploy/config.ts";
import { Refusal } from "./local/refusal.ts";
import { stateFolder } from "./local/settings.ts";

const USAGE = "npm run restore -- --from <folder> [--env production|staging] [--force]";

const print = (line: string): void => console.log(line);

try {
  const { values } = parseArgs({
    options: {
      env: { type: "string" },
      from: { type: "string" },
      force: { type: "boolean", default: false },
    },
  });
  const environment = ENVIRONMENTS.find((name) => name === values.env);
  if (values.from === undefined || (values.env !== undefined && !environment))
    throw new Refusal(USAGE);
  const folder = resolve(values.from);
  const backup = await checkBackup(folder);
  const target = environment
    ? await openDeployed(environment, { environment: process.env, print })
    : await openNewLocal(stateFolder(process.env), process.env);
  try {
    await restoreBackup(target, { folder, backup, force: values.force }, print);
  } finally {
    await target.close();
  }
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
