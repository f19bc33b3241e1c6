import type { Api } from "../api.ts";
import { openInBrowser } from "../browser.ts";
import type { ComponentFiles } from "../component/files.ts";
import type { Values } from "../component/values.ts";
import { pageOf } from "../console-page.ts";
import { Failure } from "../failure.ts";
import { Refusal } from "../refusal.ts";
import { json } from "../terminal/output.ts";
import type { EventSummary } from "../wire.ts";
import { onKeys } from "./keys.ts";
import type { Reporter } from "./reporter.ts";
import type { DevSource } from "./source.ts";
import { ComponentWatcher } from "./watcher.ts";

const CHANNELS = ["$emits", "$logs", "$errors", "$runs"];

type Deps = {
  api: Api;
  path: string;
  dev: DevSource;
  reporter: Reporter;
  /** Prompt for values that a change of the code requires. */
  configure: (files: ComponentFiles) => Promise<Values>;
};

/**
 * The loop of `dev` after a source is deployed: shows activity, redeploys on each save, and handles keys, until it
 * ends.
 */
export class DevSession {
  readonly #deps: Deps;
  readonly #end = new AbortController();
  #lastEvent: EventSummary | undefined;
  #lastRun: unknown;
  #deploying: Promise<void> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Resolves at the end of the session. `onReady` is called once its streams are open. */
  async run(files: ComponentFiles, onReady: () => void): Promise<void> {
    const { path, reporter } = this.#deps;
    const watcher = new ComponentWatcher(path, files, {
      onChange: (changed, savedAtMs) => {
        this.#deploying = this.#deploying.then(() => this.#redeploy(changed, savedAtMs));
      },
      onGone: () => reporter.gone(path),
    });
    const releaseKeys = onKeys({
      r: () => void this.#runAgain(),
      e: () => this.#showLast(),
      o: () => void this.#openConsole(),
      q: () => this.end(),
    });
    try {
      await this.#show(onReady);
    } finally {
      releaseKeys();
      watcher.close();
    }
    await this.#deploying;
  }

  end(): void {
    this.#end.abort();
  }

  async #show(onReady: () => void): Promise<void> {
    const { api, dev, reporter } = this.#deps;
    const { signal } = this.#end;
    const path = `/sources/${dev.source.id}/sse`;
    const options = { signal, onOpen: once(onReady), after: dev.since };
    for await (const event of api.follow(path, { event_name: CHANNELS }, options)) {
      this.#remember(event);
      reporter.event(event);
    }
  }

  #remember(event: EventSummary): void {
    const { name } = event.metadata;
    if (name === "$runs") this.#lastRun = eventOf(event.event);
    if (!name.startsWith("$")) this.#lastEvent = event;
  }

  async #redeploy(files: ComponentFiles, savedAtMs: number): Promise<void> {
    const { dev, reporter, configure } = this.#deps;
    if (this.#end.signal.aborted) return;
    reporter.forgetWarnings();
    try {
      await dev.redeploy(files).catch(async (error: unknown) => {
        if (!(error instanceof Failure) || !/configured_props/.test(error.message)) throw error;
        await dev.redeploy(files, await configure(files));
      });
      reporter.files = files.files;
      const ms = Date.now() - savedAtMs;
      reporter.note("deployed", `redeployed ${ms} ms after the save`, { ms });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const message = `${error.message} (the last working version continues)`;
      const details = error instanceof Refusal ? error.detailsIn(files.files) : error.details;
      reporter.problem("deploy_failed", message, details);
    }
  }

  async #runAgain(): Promise<void> {
    await this.#attempt(() => this.#deps.dev.run(this.#lastRun));
  }

  #showLast(): void {
    if (this.#lastEvent) json(this.#lastEvent);
    else this.#deps.reporter.note("no_event", "no event was emitted yet");
  }

  async #openConsole(): Promise<void> {
    const { api, dev, reporter } = this.#deps;
    await this.#attempt(async () => {
      const page = await pageOf(api.url, dev.source.id);
      reporter.note("opened", page, { url: page });
      openInBrowser(page);
    });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#deps.reporter.problem("failed", message);
    }
  }
}

function eventOf(note: unknown): unknown {
  return typeof note === "object" && note !== null && "event" in note ? note.event : undefined;
}

function once(call: () => void): () => void {
  let isCalled = false;
  return () => {
    if (!isCalled) call();
    isCalled = true;
  };
}
