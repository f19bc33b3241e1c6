import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Refusal } from "../local/refusal.ts";
import { configOf, type Environment, GENERATED } from "./config.ts";
import { readSecrets, type Secrets, secretsFileOf, writeSecrets } from "./secrets.ts";
import { wrangler } from "./wrangler.ts";

type Rotation = { environment: Environment; origin: string; finish: boolean };

/** The systems that a rotation changes; tests replace wrangler. */
type World = {
  print: (line: string) => void;
  secretsFolder?: string;
  upload?: (secrets: Secrets) => Promise<void>;
};

/**
 * Rotate the master key: create a new one, keep the old one for reading, and rewrap every secret with the new one. With
 * `finish`, once all are rewrapped, drop the old ones. Each step is saved before it runs: the next run resumes an
 * interrupted one.
 */
export async function rotateKey(rotation: Rotation, world: World): Promise<void> {
  const { environment, finish } = rotation;
  const { print } = world;
  const file = secretsFileOf(environment, world.secretsFolder);
  const upload = world.upload ?? ((secrets: Secrets) => uploadSecrets(environment, secrets));
  const { ADMIN_TOKEN: token } = await readSecrets(file);
  if (!token)
    throw new Refusal(
      `ADMIN_TOKEN and MASTER_KEY must both be in ${file}. Without --url, the key of a state folder is rotated.`,
    );
  const { current, previous } = await keysIn(file, finish, print);

  await upload({ MASTER_KEY: current, PREVIOUS_MASTER_KEYS: previous });
  print("uploaded       MASTER_KEY, PREVIOUS_MASTER_KEYS");
  const left = await rewrapAll({ origin: rotation.origin, token, reach: fetch }, print);
  if (left.length > 0)
    throw new Refusal(`Not yet under the new key: ${left.join(", ")}. Run the same command again.`);
  if (!finish) return print("Run it again with --finish in an hour, to drop the old key.");
  // A secret cannot be empty; the current key among the previous ones adds nothing.
  await upload({ MASTER_KEY: current, PREVIOUS_MASTER_KEYS: current });
  const { PREVIOUS_MASTER_KEYS: _, ...rest } = await readSecrets(file);
  await writeSecrets(file, rest);
  print("dropped        the old key: only backups from before still need it");
}

type Keys = { current: string; previous: string };

/** The keys of an environment or a state folder; on the first run of a rotation, a new one and the old. */
export async function keysIn(
  file: string,
  finish: boolean,
  print: (line: string) => void,
): Promise<Keys> {
  const kept = await readSecrets(file);
  const { MASTER_KEY: current, PREVIOUS_MASTER_KEYS: previous } = kept;
  if (!current) throw new Refusal(`There is no MASTER_KEY in ${file}.`);
  if (previous || finish) return { current, previous: previous || current };
  const next = randomBytes(32).toString("base64url");
  await writeSecrets(file, { ...kept, MASTER_KEY: next, PREVIOUS_MASTER_KEYS: current });
  print(`generated      a new MASTER_KEY, kept in ${file}: store a copy safely`);
  return { current: next, previous: current };
}

/** A platform, its operator's token and the function that sends requests to it. */
type Reached = { origin: string; token: string; reach: typeof fetch };

/** Call the platform, batch by batch, until every secret was checked. Returns the remaining ones. */
export async function rewrapAll(
  operator: Reached,
  print: (line: string) => void,
): Promise<string[]> {
  const left: string[] = [];
  let checked = 0;
  for (let after: number | null = 0; after !== null;) {
    const answer: Stretch = await rewrapFrom(operator, after);
    left.push(...answer.left);
    checked += answer.checked;
    after = answer.next;
  }
  print(
    `rewrapped      ${checked} apps, accounts, sources and workflows checked, ${left.length} left`,
  );
  return left;
}

type Stretch = { checked: number; left: string[]; next: number | null };

async function rewrapFrom({ origin, token, reach }: Reached, after: number): Promise<Stretch> {
  const response = await reach(`${origin}/admin/secrets/rewrap`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ after }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Refusal(
      `${origin} returned ${response.status}: ${text}\nRun the same command again.`,
    );
  return JSON.parse(text).data;
}

async function uploadSecrets(environment: Environment, secrets: Secrets): Promise<void> {
  const { name } = await configOf(environment);
  const file = join(GENERATED, `${environment}.rotation.json`);
  await mkdir(GENERATED, { recursive: true });
  await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
  try {
    await wrangler("upload the keys", ["secret", "bulk", file, "--name", name]);
  } finally {
    await rm(file, { force: true });
  }
}
