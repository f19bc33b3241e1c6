import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { parseEnv } from "node:util";

import { Refusal } from "../local/refusal.ts";
import { checkToken } from "../local/setting-values.ts";
import { ROOT } from "../local/settings.ts";
import type { Environment, Workers } from "./config.ts";
import type { Report } from "./report.ts";

/** Secrets by name. Cloudflare never shows one again, so generated ones are stored beside the repository's files. */
export type Secrets = Record<string, string>;

/** The secrets that a Worker requires, and the function that generates each. */
const GENERATED: Record<string, () => string> = {
  ADMIN_TOKEN: () => randomBytes(32).toString("base64url"),
  MASTER_KEY: () => randomBytes(32).toString("base64url"),
};

/** The optional secrets of a Worker, and the operator's variable for each. */
const OPTIONAL: Record<string, string> = {
  PREVIOUS_MASTER_KEYS: "PREVIOUS_MASTER_KEYS",
  // Not the token that deploys: that one has more permissions than a Worker should.
  CLOUDFLARE_API_TOKEN: "DISPATCH_API_TOKEN",
};

/** The same for the bundler Worker. */
const OPTIONAL_OF_BUNDLER: Record<string, string> = { NPM_TOKEN: "NPM_TOKEN" };

/** The file with an environment's secrets on this machine. */
export function secretsFileOf(environment: Environment, folder = join(ROOT, ".secrets")): string {
  return join(folder, `${environment}.env`);
}

export async function readSecrets(file: string): Promise<Secrets> {
  const text = await readFile(file, "utf8").catch(() => "");
  return Object.fromEntries(
    Object.entries(parseEnv(text)).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

/** Store secrets in a file that only this user can read. An interrupted write leaves the old ones. */
export async function writeSecrets(file: string, secrets: Secrets): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(`${file}.tmp`, lines.join(""), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

type Known = {
  file: string;
  environment: Record<string, string | undefined>;
  /** The names of each Worker's secrets. */
  remote: Workers<ReadonlySet<string>>;
  /** Whether the database may contain secrets that a new master key could not decrypt. */
  knowsDatabase: boolean;
};

/**
 * Every secret on this machine, and the missing ones of each Worker. A secret that is missing everywhere is generated
 * and stored before anything is created, so that an interrupted run loses none.
 */
export async function settleSecrets(
  { file, environment, remote, knowsDatabase }: Known,
  report: Report,
): Promise<{ known: Secrets; missing: Workers<Secrets> }> {
  const kept = await readSecrets(file);
  const own = Object.keys(GENERATED).map((name) => [name, name] as const);
  const sources = [...own, ...Object.entries(OPTIONAL), ...Object.entries(OPTIONAL_OF_BUNDLER)];
  const given = sources.flatMap(([name, variable]) =>
    environment[variable] ? [[name, environment[variable]]] : [],
  );
  const known: Secrets = { ...kept, ...Object.fromEntries(given) };
  checkToken("ADMIN_TOKEN", known["ADMIN_TOKEN"]);
  for (const name of Object.keys(OPTIONAL_OF_BUNDLER))
    if (remote.platform.has(name) && !remote.bundler.has(name) && !(name in known))
      throw movedSecret(name);
  const lacking = Object.keys(GENERATED).filter(
    (name) => !(name in known) && !remote.platform.has(name),
  );
  if (lacking.includes("MASTER_KEY") && knowsDatabase) throw new Refusal(NO_MASTER_KEY);
  if (lacking.length > 0) {
    const made = Object.fromEntries(lacking.map((name) => [name, GENERATED[name]?.() ?? ""]));
    const what = `${lacking.join(", ")}, kept in ${basename(file)}: store a copy safely`;
    await report.change("generate", what, () => writeSecrets(file, { ...kept, ...made }));
    Object.assign(known, made);
  }
  const lackedOf = (names: string[], has: ReadonlySet<string>): Secrets =>
    Object.fromEntries(
      names.flatMap((name) => (name in known && !has.has(name) ? [[name, known[name] ?? ""]] : [])),
    );
  const names = [...Object.keys(GENERATED), ...Object.keys(OPTIONAL)];
  const platform = lackedOf(names, remote.platform);
  return {
    known,
    missing: { platform, bundler: lackedOf(Object.keys(OPTIONAL_OF_BUNDLER), remote.bundler) },
  };
}

/** Without it, components would silently lose the packages that need this secret. */
function movedSecret(name: string): Refusal {
  return new Refusal(
    `${name} is a secret of the platform's Worker, but the bundler Worker needs it now, and Cloudflare never ` +
      `shows a secret again. Set ${name} and run the same command again; where it is no longer used, delete it ` +
      `first with: npx wrangler secret delete ${name}.`,
  );
}

const NO_MASTER_KEY =
  "The database exists already, but its MASTER_KEY is neither on the Worker nor on this machine, and a new one " +
  "would decrypt none of its secrets. Set MASTER_KEY, or, if nothing is encrypted yet, pass --new-master-key.";
