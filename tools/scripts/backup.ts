import "./help.ts";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { openDeployed } from "./backup/deployed.ts";
import { openLocal } from "./backup/local.ts";
import { makeBackup } from "./backup/make.ts";
import { openRunning } from "./backup/running.ts";
import { ENVIRONMENTS } from "./deploy/config.ts";
import { Refusal } from "./local/refusal.ts";
import { stateFolder } from "./local/settings.ts";

const USAGE = "npm run backup -- [--env production|staging] [--to <folder>]";

const print = (line: string): void => console.log(line);

try {
  const { values } = parseArgs({ options: { env: { type: "string" }, to: { type: "string" } } });
  const environment = ENVIRONMENTS.find((name) => name === values.env);
  if (values.env !== undefined && !environment) throw new Refusal(USAGE);
  const at = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const folder = resolve(values.to ?? `backups/${environment ?? "local"}-${at}`);
  const target = environment
    ? await openDeployed(environment, { environment: process.env, print })
    : ((await openRunning(stateFolder(process.env), process.env)) ??
      (await openLocal(stateFolder(process.env))));
  try {
    await makeBackup(target, folder, print);
  } finally {
    await target.close();
  }
  print(
    `\nThe backup of ${target.name} is in ${folder}. Keep its MASTER_KEY elsewhere: no other key decrypts it.`,
  );
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
