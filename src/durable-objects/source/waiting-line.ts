import { type Job, takeGroup } from "./queue.ts";

/** Maximum events that wait for their run, before new ones are rejected. */
const MAX_WAITING = 5000;

/** Maximum bytes in calls: events that are not in memory are in the object's storage, which has 10 GB. */
const MAX_WAITING_BYTES = 2 ** 28;

/** Events that wait for their run, in their order, and bounded by count and by bytes. */
export class WaitingLine<W extends { job: Pick<Job, "bytes" | "isSuspect" | "host" | "seq"> }> {
  readonly #waiting: W[] = [];
  #bytes = 0;

  /** The number of waiting events. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Whether the queue is full. */
  isFull(): boolean {
    return this.length >= MAX_WAITING || this.#bytes >= MAX_WAITING_BYTES;
  }

  /** Add an event at the end. */
  push(one: W): void {
    this.#waiting.push(one);
    this.#bytes += one.job.bytes;
  }

  /** Return a stored event for a retry: to the front, but after those that were stored before it. */
  putBack(one: W): void {
    const after = this.#waiting.findIndex(({ job }) => (job.seq ?? Infinity) > (one.job.seq ?? 0));
    this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, one);
    this.#bytes += one.job.bytes;
  }

  /** Take the next batch for the isolate from the front: at most `room` events. */
  take(room: number): W[] {
    const group = takeGroup(this.#waiting, room);
    for (const { job } of group) this.#bytes -= job.bytes;
    return group;
  }
}
