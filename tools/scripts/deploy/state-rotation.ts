import { startOn } from "../backup/local.ts";
import { runningUrl } from "../local/lock.ts";
import { Refusal } from "../local/refusal.ts";
import { isGiven, secretsFile } from "../local/settings.ts";
import { keysIn, rewrapAll } from "./rotation.ts";
import { readSecrets, writeSecrets } from "./secrets.ts";

type Rotation = { stateDir: string; environment: Partial<NodeJS.ProcessEnv> };

/**
 * Rotate the master key of a state folder, whose platform has ended: create a new one, rewrap every secret with it, and
 * drop the old one. The next run resumes an interrupted one.
 */
export async function rotateStateKey(
  { stateDir, environment }: Rotation,
  print: (line: string) => void,
): Promise<void> {
  const file = secretsFile(stateDir);
  await checkState(stateDir, environment);
  await keysIn(file, false, print);
  const platform = await startOn(stateDir);
  try {
    const { origin } = new URL(platform.url);
    const left = await rewrapAll({ origin, token: platform.adminToken, reach: fetch }, print);
    if (left.length > 0) throw new Refusal(`Not yet under the new key: ${left.join(", ")}.`);
  } finally {
    await platform.stop();
  }
  const { PREVIOUS_MASTER_KEYS: _, ...rest } = await readSecrets(file);
  await writeSecrets(file, rest);
  print("dropped        the old key: only backups from before still need it");
}

async function checkState(
  stateDir: string,
  environment: Partial<NodeJS.ProcessEnv>,
): Promise<void> {
  const url = runningUrl(stateDir);
  if (url !== undefined)
    throw new Refusal(
      `A platform runs on ${stateDir} at ${url}: end it, and start it again after.`,
    );
  for (const name of ["MASTER_KEY", "PREVIOUS_MASTER_KEYS"])
    if (await isGiven(name, environment))
      throw new Refusal(
        `${name} is set in the environment or in .dev.vars, which take precedence over ${secretsFile(stateDir)}: ` +
          `move it there first.`,
      );
}
