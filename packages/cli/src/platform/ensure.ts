import { type ConnectionOptions, findConnection, isChosen, localKey } from "../connection.ts";
import { runningUrl } from "../places.ts";
import { type StartedPlatform, startPlatform } from "./start.ts";

const HEALTH_TIMEOUT_MS = 2000;

/** A platform, and a function that ends it if this command started it. */
export type EnsuredPlatform = Pick<StartedPlatform, "connection"> & Partial<StartedPlatform>;

/** The platform that the user chose, else the one that runs on this machine, else a new one. */
export async function ensurePlatform(
  options: ConnectionOptions & { port?: number },
): Promise<EnsuredPlatform> {
  if (await isChosen(options)) return { connection: await findConnection(options) };
  const url = await runningUrl();
  const apiKey = options.apiKey ?? process.env["WELLSPRING_API_KEY"] ?? (await localKey());
  if (url !== undefined && apiKey && (await isHealthy(url))) return { connection: { url, apiKey } };
  return startPlatform(options.port);
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    return response.ok;
  } catch {
    return false;
  }
}
