import type { Api } from "../api.ts";
import { choiceOf } from "../component/choice.ts";
import type { ComponentFiles } from "../component/files.ts";
import type { Values } from "../component/values.ts";
import { Refusal } from "../refusal.ts";
import { endpointsOf } from "../sources.ts";
import type { EventSummary, Source } from "../wire.ts";
import type { Receiver } from "./receiver.ts";
import { isRunning, type SessionRecord, SessionRecords } from "./records.ts";

/** The begin of a source's history: events of its deploy hook are shown, too. */
const BEGINNING = "0-0";

/** Paths of the channels that are stored. */
const STORED = ["event_summaries", "$logs/event_summaries", "$errors/event_summaries"];

/** The order of emission: an id is `<epoch ms>-<count>`. */
const BY_POSITION = new Intl.Collator("en", { numeric: true }).compare;

type Deploying = { path: string; name: string; values: Values };

/** A source that is active while `dev` runs, with a webhook that delivers to this command. */
export class DevSource {
  readonly #api: Api;
  readonly source: Source;
  /** The event after which this session begins. */
  readonly since: string;
  /** Absent if another session of the same file has the record. */
  readonly #record: Pick<SessionRecord, "path" | "name"> | undefined;
  #webhookId: string | undefined;

  private constructor(
    api: Api,
    source: Source,
    more: { since?: string; record?: Pick<SessionRecord, "path" | "name"> | undefined },
  ) {
    this.#api = api;
    this.source = source;
    this.since = more.since ?? BEGINNING;
    this.#record = more.record;
  }

  /** Deploy a file: as the source of its last session, so that the URLs of its endpoints stay, else as a new one. */
  static async deploy(
    api: Api,
    files: ComponentFiles,
    { path, name, values }: Deploying,
  ): Promise<DevSource> {
    const records = new SessionRecords(api.url);
    const last = await records.find(path, name);
    const body = { ...choiceOf(files), name, configured_props: values };
    if (last?.pid !== undefined && isRunning(last.pid))
      return new DevSource(api, await api.data<Source>("POST", "/sources", { body }), {});
    const record = { path, name };
    const existing = last && (await findOrForget(api, last));
    const since = existing && (await lastEventOf(api, existing.id));
    const source = existing
      ? await api.data<Source>("PUT", `/sources/${existing.id}`, { body })
      : await api.data<Source>("POST", "/sources", { body });
    await records.write({ ...record, source_id: source.id, pid: process.pid });
    return new DevSource(api, source, { record, ...(since !== undefined && { since }) });
  }

  /** End the sources of sessions that were killed: they would run on, and their webhooks fail. */
  static async endInterrupted(api: Api): Promise<void> {
    for (const record of await new SessionRecords(api.url).interrupted()) {
      const source = await findOrForget(api, record);
      if (!source) continue;
      const left = new DevSource(api, source, { record });
      left.#webhookId = record.webhook_id;
      await left.end().catch((error: unknown) => {
        // A change of it is under way: the next session retries.
        if (!(error instanceof Refusal)) throw error;
      });
    }
  }

  /** Subscribe a receiver of this command to all events of the source. */
  async deliverTo(receiver: Receiver): Promise<void> {
    const { id } = this.source;
    const made = await this.#api.data<{ id: string; signing_secret: string }>("POST", "/webhooks", {
      body: { url: receiver.url, name: "wellspring dev" },
    });
    this.#webhookId = made.id;
    await this.#note({ webhook_id: made.id, pid: process.pid });
    receiver.expectSecret(made.signing_secret);
    const body = { emitter_id: id, listener_id: made.id };
    await this.#api.data("POST", "/subscriptions", { body });
  }

  /** Replace the code; after a failure the last working version continues. */
  async redeploy(files: ComponentFiles, values: Values = {}): Promise<void> {
    const body = { ...choiceOf(files), configured_props: values };
    await this.#api.data("PUT", `/sources/${this.source.id}`, { body });
  }

  /** Run it on an event, or on that of its own trigger. */
  async run(event: unknown): Promise<void> {
    const body = event === undefined ? {} : { event };
    await this.#api.data("POST", `/sources/${this.source.id}/run`, { body });
  }

  /** Delete the webhook, and the source, unless it has an endpoint: it is paused, and keeps its URL for the next session. */
  async end(): Promise<void> {
    const webhook = this.#webhookId;
    const isKept = this.#record !== undefined && endpointsOf(this.source).length > 0;
    const path = `/sources/${this.source.id}`;
    await Promise.all([
      isKept ? this.#unlessGone("PUT", path, { active: false }) : this.#unlessGone("DELETE", path),
      ...(webhook === undefined ? [] : [this.#unlessGone("DELETE", `/webhooks/${webhook}`)]),
    ]);
    if (isKept) await this.#note({});
    else if (this.#record) await new SessionRecords(this.#api.url).remove(this.#record);
  }

  async #note(more: Pick<SessionRecord, "webhook_id" | "pid">): Promise<void> {
    if (!this.#record) return;
    const { path, name } = this.#record;
    await new SessionRecords(this.#api.url).write({
      path,
      name,
      source_id: this.source.id,
      ...more,
    });
  }

  /** Send a request that fails if another client has deleted the resource, which is as good. */
  async #unlessGone(method: string, path: string, body?: object): Promise<void> {
    try {
      await this.#api.request(method, path, { body });
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
    }
  }
}

/** The source of a record; undefined, without the record, if it was deleted. */
async function findOrForget(api: Api, record: SessionRecord): Promise<Source | undefined> {
  try {
    return await api.data<Source>("GET", `/sources/${record.source_id}`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    await new SessionRecords(api.url).remove(record);
    return undefined;
  }
}

/** The id of the newest stored event of a source. */
async function lastEventOf(api: Api, id: string): Promise<string> {
  const lists = await Promise.all(
    STORED.map((channel) =>
      api.request<{ data: EventSummary[] }>("GET", `/sources/${id}/${channel}`, {
        query: { limit: 1 },
      }),
    ),
  );
  const ids = lists.flatMap(({ data }) => data.map((event) => event.id));
  return ids.toSorted(BY_POSITION).at(-1) ?? BEGINNING;
}
