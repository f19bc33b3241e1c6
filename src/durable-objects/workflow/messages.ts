import type { OutboundMessage } from "#sandbox/side-effects.ts";

import type { SentMessage } from "./contract.ts";

/** Maximum messages of a workflow that wait to be sent, and their bytes: the next ones fail. */
const MAX_PENDING = 1000;
const MAX_PENDING_BYTES = 64 * 1024 * 1024;

/** The reason why a message is not sent. */
export const NO_ROOM = `${MAX_PENDING} messages, or 64 MB of them, wait to be sent already`;

/** The step that sends, in the order of its run, and the hops of the run. */
type Sender = { seq: number; number: number; step: string; hops: number };

/** The key of a message. */
export type MessageKey = { run_seq: number; number: number; place: number };

/** A message as stored until it is sent or has failed. */
export type PendingMessage = MessageKey & {
  step: string;
  /** JSON text of an `OutboundMessage`. */
  message: string;
  hops: number;
  created_ms: number;
  attempts: number;
};

type RecordRow = Omit<SentMessage, "state"> & { due_ms: number | null };

/** The messages that steps send: stored with the outcome of the step, and recorded as long as its run. */
export class Messages {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Store the messages of an execution; stored ones stay unchanged. Returns the number of those without room. */
  add(sender: Sender, messages: readonly OutboundMessage[], nowMs: number): number {
    const left = { messages: 0, bytes: 0 };
    if (messages.length > 0) {
      const { n, bytes } = this.#pending();
      left.messages = MAX_PENDING - n;
      left.bytes = MAX_PENDING_BYTES - bytes;
    }
    let dropped = 0;
    for (const [place, message] of messages.entries()) {
      const text = JSON.stringify(message);
      const bytes = Buffer.byteLength(text);
      const fits = left.messages > 0 && left.bytes >= bytes;
      if (fits) {
        left.messages -= 1;
        left.bytes -= bytes;
      } else dropped += 1;
      this.#insert({ ...sender, place, nowMs }, message, fits ? { text, bytes } : undefined);
    }
    return dropped;
  }

  #insert(
    { seq, number, place, step, hops, nowMs }: Sender & { place: number; nowMs: number },
    message: OutboundMessage,
    content: { text: string; bytes: number } | undefined,
  ): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO messages (run_seq, number, place, step, kind, target, message, bytes, hops, created_ms, due_ms, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      number,
      place,
      step,
      message.kind,
      targetOf(message),
      content?.text ?? null,
      content?.bytes ?? 0,
      hops,
      nowMs,
      content ? nowMs : null,
      content ? null : NO_ROOM,
    );
  }

  #pending(): { n: number; bytes: number } {
    return this.#sql
      .exec<{ n: number; bytes: number }>(
        "SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes FROM messages WHERE due_ms IS NOT NULL",
      )
      .one();
  }

  /** The messages that are due, those that wait longest first. */
  due(nowMs: number, limit: number): PendingMessage[] {
    return this.#sql
      .exec<PendingMessage>(
        `SELECT run_seq, number, place, step, message, hops, created_ms, attempts FROM messages
         WHERE due_ms IS NOT NULL AND due_ms <= ? ORDER BY due_ms LIMIT ?`,
        nowMs,
        limit,
      )
      .toArray();
  }

  /** The time at which the next message is due, epoch milliseconds. */
  nextDueMs(): number | undefined {
    return (
      this.#sql
        .exec<{ due: number | null }>(
          "SELECT min(due_ms) AS due FROM messages WHERE due_ms IS NOT NULL",
        )
        .one().due ?? undefined
    );
  }

  /** Record a failed attempt; the next one is due then. */
  postpone(key: MessageKey, dueMs: number, error: string): void {
    this.#sql.exec(
      `UPDATE messages SET attempts = attempts + 1, due_ms = ?, error = ?
       WHERE run_seq = ? AND number = ? AND place = ?`,
      dueMs,
      error,
      ...partsOf(key),
    );
  }

  /** Record that a message was sent (`error` is null), or has failed, and drop its content. */
  settle(key: MessageKey, error: string | null): void {
    this.#sql.exec(
      `UPDATE messages SET attempts = attempts + 1, due_ms = NULL, message = NULL, bytes = 0, error = ?
       WHERE run_seq = ? AND number = ? AND place = ?`,
      error,
      ...partsOf(key),
    );
  }

  /** The messages of an execution, in the order in which it sent them. */
  of(seq: number, number: number): SentMessage[] {
    return this.#sql
      .exec<RecordRow>(
        `SELECT kind, target, due_ms, attempts, error FROM messages
         WHERE run_seq = ? AND number = ? ORDER BY place`,
        seq,
        number,
      )
      .toArray()
      .map(({ due_ms, ...message }) => ({ ...message, state: stateOf(due_ms, message.error) }));
  }
}

function partsOf({ run_seq, number, place }: MessageKey): [number, number, number] {
  return [run_seq, number, place];
}

/** The receiver of a message for its record: of a URL the origin, because the rest may contain secrets. */
function targetOf(message: OutboundMessage): string {
  if (message.kind === "email") return message.to ?? "";
  return `${message.method} ${new URL(message.url).origin}`;
}

function stateOf(dueMs: number | null, error: string | null): SentMessage["state"] {
  if (dueMs !== null) return "pending";
  return error === null ? "sent" : "failed";
}
