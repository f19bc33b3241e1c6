import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { type Caller, type DeployedSource, deploy, endpointOf } from "../scripts/api.ts";
import { numberOf, SentEvents } from "./traffic.ts";

// History keeps 100 events a channel: half of that leaves room to find each of them twice.
const EVENTS_PER_CHANNEL = 50;

/** A source may have 50 channels. */
const EVENTS_PER_SOURCE = 50 * EVENTS_PER_CHANNEL;

/** The events that one source was sent. */
export type SourceEvents = {
  source: DeployedSource;
  acknowledged: string[];
  channels: Set<string>;
  channelOf(id: string): string;
};

/** A component under test, deployed as one source after the other, because history keeps a limited number of events. */
export class Subject {
  readonly name: string;
  readonly sent: SentEvents;
  readonly #code: string;
  readonly #sources: DeployedSource[] = [];

  private constructor(name: string, code: string) {
    this.name = name;
    this.#code = code;
    this.sent = new SentEvents(name, (number) => {
      const source = this.#sources[sourceIndexOf(number)];
      return source && { url: endpointOf(source), channel: channelOf(number) };
    });
  }

  /** Read the component of this name, and deploy it. */
  static async deploy(platform: Caller, name: string): Promise<Subject> {
    const path = join(import.meta.dirname, `components/${name}.js`);
    const subject = new Subject(name, await readFile(path, "utf8"));
    await subject.deploySpare(platform);
    return subject;
  }

  /** Deploy a further source unless one is unused. */
  async deploySpare(platform: Caller): Promise<void> {
    const used = Math.ceil(this.sent.count / EVENTS_PER_SOURCE);
    if (this.#sources.length <= used) this.#sources.push(await deploy(platform, this.#code));
  }

  /** What each source was sent. */
  bySource(): SourceEvents[] {
    const acknowledged = Map.groupBy(this.sent.acknowledged, (id) => sourceIndexOf(numberOf(id)));
    const sent = Map.groupBy(Array(this.sent.count).keys(), sourceIndexOf);
    return this.#sources.map((source, index) => ({
      source,
      acknowledged: acknowledged.get(index) ?? [],
      channels: new Set(sent.get(index)?.map(channelOf)),
      channelOf: (id) => channelOf(numberOf(id)),
    }));
  }
}

function sourceIndexOf(number: number): number {
  return Math.floor(number / EVENTS_PER_SOURCE);
}

function channelOf(number: number): string {
  return `channel-${Math.floor((number % EVENTS_PER_SOURCE) / EVENTS_PER_CHANNEL)}`;
}
