import type { Id, OwnerId } from "./ids.ts";

/** A mail of a workflow to its owner. The same id is the same mail. */
export type Mail = {
  id: string;
  ownerId: OwnerId;
  workflowId: Id<"workflow">;
  /** The recipient that the workflow named; null: its owner. */
  to: string | null;
  subject: string;
  text: string | null;
  html: string | null;
};

/** Whether a mail was sent, or the reason why it never will be. */
export type MailResult = { ok: true } | { ok: false; message: string };
