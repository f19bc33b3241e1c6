import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { sessionsFolder } from "../places.ts";

/** What `dev` has deployed on a platform for a file, so that it is found after the process. */
export type SessionRecord = {
  /** The platform. */
  url: string;
  path: string;
  name: string;
  source_id: string;
  webhook_id?: string;
  /** The process of the session; absent once it has ended by itself. */
  pid?: number;
};

/** Records of sessions on a platform, one file each. */
export class SessionRecords {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** The record of a file and a name for its source, if there is one. */
  find(path: string, name: string): Promise<SessionRecord | undefined> {
    return recordIn(this.#fileOf(path, name));
  }

  /** Records of sessions whose process was killed before it could end its source. */
  async interrupted(): Promise<SessionRecord[]> {
    const names = await readdir(sessionsFolder()).catch(() => []);
    const records = await Promise.all(names.map((name) => recordIn(join(sessionsFolder(), name))));
    return records
      .filter((record) => record !== undefined)
      .filter(({ url, pid }) => url === this.#url && pid !== undefined && !isRunning(pid));
  }

  async write(record: Omit<SessionRecord, "url">): Promise<void> {
    await mkdir(sessionsFolder(), { recursive: true, mode: 0o700 });
    const text = JSON.stringify({ ...record, url: this.#url, path: resolve(record.path) });
    await writeFile(this.#fileOf(record.path, record.name), text);
  }

  async remove({ path, name }: Pick<SessionRecord, "path" | "name">): Promise<void> {
    await rm(this.#fileOf(path, name), { force: true });
  }

  #fileOf(path: string, name: string): string {
    const key = JSON.stringify([this.#url, resolve(path), name]);
    const hash = createHash("sha256").update(key).digest("hex").slice(0, 32);
    return join(sessionsFolder(), `${hash}.json`);
  }
}

/** Whether another process has a process id. In a container a later one may have it: its own is never another's. */
export function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function recordIn(file: string): Promise<SessionRecord | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    // There is none, or its process was killed while it wrote.
    return undefined;
  }
}
