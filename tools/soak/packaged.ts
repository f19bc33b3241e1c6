import { deploy, endpointOf } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import { PACKAGES } from "./packages.ts";

/** The number of parallel deploys. */
const LANES = 4;

/**
 * Deploy a source for each of this many npm packages, which the platform bundles. Returns their endpoints. Throws if
 * the list does not have as many.
 */
export async function populateWithPackages(
  platform: RunningPlatform,
  { sources, packages }: { sources: number; packages: number },
): Promise<string[]> {
  const urls: string[] = [];
  const usable: string[] = [];
  const names = PACKAGES.values();
  await inLanes(async () => {
    if (usable.length >= packages) return false;
    const { value: name, done } = names.next();
    if (done === true) throw new Error(`Only ${usable.length} packages can be used`);
    try {
      const url = await deployImporting(platform, name);
      usable.push(name);
      urls.push(url);
    } catch (error) {
      console.log(`${name} is left out: ${String(error).slice(0, 100)}`);
    }
    return true;
  });
  let next = urls.length;
  await inLanes(async () => {
    if (next >= sources) return false;
    const name = usable[next % usable.length] ?? "";
    next += 1;
    urls.push(await deployImporting(platform, name));
    return true;
  });
  console.log(`${urls.length} sources on ${usable.length} packages`);
  return urls;
}

async function deployImporting(platform: RunningPlatform, name: string): Promise<string> {
  const code = `import * as all from ${JSON.stringify(name)};
export default { name: "Soak", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit({ n: body.n, exports: Object.keys(all).length }); } };`;
  return endpointOf(await deploy(platform, code));
}

async function inLanes(work: () => Promise<boolean>): Promise<void> {
  const lane = async (): Promise<void> => {
    while (await work());
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
