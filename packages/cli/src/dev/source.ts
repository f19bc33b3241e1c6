import type { Api } from "../api.ts";
import { choiceOf } from "../component/choice.ts";
import type { ComponentFiles } from "../component/files.ts";
import type { Values } from "../component/values.ts";
import { Refusal } from "../refusal.ts";
import type { Source } from "../wire.ts";
import type { Receiver } from "./receiver.ts";

/** A source that is deployed while `dev` runs, with a webhook that delivers to this command. */
export class DevSource {
  readonly #api: Api;
  readonly source: Source;
  #webhookId: string | undefined;

  private constructor(api: Api, source: Source) {
    this.#api = api;
    this.source = source;
  }

  static async deploy(
    api: Api,
    files: ComponentFiles,
    { name, values }: { name: string; values: Values },
  ): Promise<DevSource> {
    const body = { ...choiceOf(files), name, configured_props: values };
    return new DevSource(api, await api.data<Source>("POST", "/sources", { body }));
  }

  /** Subscribe a receiver of this command to all events of the source. */
  async deliverTo(receiver: Receiver): Promise<void> {
    const { id } = this.source;
    const made = await this.#api.data<{ id: string; signing_secret: string }>("POST", "/webhooks", {
      body: { url: receiver.url, name: "wellspring dev" },
    });
    this.#webhookId = made.id;
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

  /** Delete the source and the webhook. */
  async remove(): Promise<void> {
    const webhook = this.#webhookId;
    await Promise.all([
      this.#remove(`/sources/${this.source.id}`),
      ...(webhook === undefined ? [] : [this.#remove(`/webhooks/${webhook}`)]),
    ]);
  }

  async #remove(path: string): Promise<void> {
    try {
      await this.#api.request("DELETE", path);
    } catch (error) {
      // Another client deleted it.
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
    }
  }
}
