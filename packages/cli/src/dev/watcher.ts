import { type FSWatcher, watch } from "node:fs";
import { dirname, join } from "node:path";

import { type ComponentFiles, readComponent } from "../component/files.ts";
import { Failure } from "../failure.ts";

/** Editors write a file in several steps: changes within this time are the same save. */
const SETTLE_MS = 25;

/** Between two of these steps the file may be missing; after this time it is gone. */
const GONE_MS = 1000;

type OnChange = (files: ComponentFiles, savedAtMs: number) => void;

/** Watches a component's file and all files that it imports, and reports them after each change. */
export class ComponentWatcher {
  readonly #path: string;
  readonly #onChange: OnChange;
  readonly #onGone: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #known: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    path: string,
    current: ComponentFiles,
    { onChange, onGone }: { onChange: OnChange; onGone: () => void },
  ) {
    this.#path = path;
    this.#onChange = onChange;
    this.#onGone = onGone;
    this.#known = JSON.stringify(current);
    this.#watch(current);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  /** Watches folders instead of files: an editor may replace a file by another one of the same name. */
  #watch({ root, files }: ComponentFiles): void {
    const folders = new Set(Object.keys(files).map((file) => dirname(join(root, file))));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) {
      if (this.#watchers.has(folder)) continue;
      const watcher = watch(folder, () => this.#changed());
      watcher.on("error", () => this.#watchers.delete(folder));
      this.#watchers.set(folder, watcher);
    }
  }

  #changed(): void {
    const savedAtMs = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(savedAtMs), SETTLE_MS);
  }

  async #read(savedAtMs: number): Promise<void> {
    const files = await readComponent(this.#path).catch((error: unknown) => {
      if (error instanceof Failure) return undefined;
      throw error;
    });
    if (!files) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#onGone, GONE_MS);
      return;
    }
    const now = JSON.stringify(files);
    if (now === this.#known) return;
    this.#known = now;
    this.#watch(files);
    this.#onChange(files, savedAtMs);
  }
}
