import "./help.ts";
import { parseArgs } from "node:util";

import { errorMessage } from "#domain/errors.ts";

import { ENVIRONMENTS } from "./deploy/config.ts";
import { deployPlatform, type Options } from "./deploy/deploy.ts";
import { shardCount } from "./deploy/shards.ts";
import { ensureAssets } from "./local/assets.ts";
import { Refusal } from "./local/refusal.ts";

const USAGE = `npm run deploy -- [--env production|staging] [--check] [--dry-run] [--skip-canary] [--new-master-key] [--without-metrics] [--queues N] [--workflows N]`;

try {
  const options = readOptions(process.argv.slice(2));
  // A release without the documentation or the console would remove the deployed ones.
  const isChange = !options.dryRun && !options.check;
  const [failure] = isChange ? await ensureAssets() : [];
  if (failure) throw new Refusal(failure.message);
  await deployPlatform(options, {
    environment: process.env,
    print: (line) => console.log(line),
  });
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}

function readOptions(args: string[]): Options {
  const { values } = parse(args);
  const environment = ENVIRONMENTS.find((name) => name === values.env);
  if (!environment)
    throw new Refusal(`--env must be ${ENVIRONMENTS.join(" or ")}, not "${values.env}".\n${USAGE}`);
  return {
    environment,
    dryRun: values["dry-run"],
    check: values.check,
    skipCanary: values["skip-canary"],
    newMasterKey: values["new-master-key"],
    withoutMetrics: values["without-metrics"],
    shards: {
      queues: shardCount("--queues", values.queues),
      workflows: shardCount("--workflows", values.workflows),
    },
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        env: { type: "string", default: "production" },
        check: { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
        "skip-canary": { type: "boolean", default: false },
        "new-master-key": { type: "boolean", default: false },
        "without-metrics": { type: "boolean", default: false },
        queues: { type: "string" },
        workflows: { type: "string" },
      },
    });
  } catch (error) {
    throw new Refusal(`${errorMessage(error)}\n${USAGE}`);
  }
}
