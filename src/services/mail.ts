import * as store from "#db/mailbox.ts";
import { termsOf } from "#db/owners.ts";
import type { OwnerId } from "#domain/ids.ts";
import type { Mail, MailResult } from "#domain/mail.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { AppContext } from "./context.ts";

export type { KeptMail } from "#db/mailbox.ts";

/**
 * Send a mail to the owner of the workflow that wrote it, and to nobody else: code of strangers must not write to
 * strangers. Without an email binding, mail is stored in the mailbox. Throws if it may be retried.
 */
export async function sendMail(
  ctx: Pick<AppContext, "db" | "email" | "now">,
  mail: Mail,
): Promise<MailResult> {
  const { id, ownerId, workflowId, to, subject, text, html } = mail;
  const terms = await termsOf(ctx.db, ownerId);
  if (terms === undefined) return { ok: false, message: "the owner was deleted" };
  const { email: recipient } = terms;
  if (to !== null && to.toLowerCase() !== recipient.toLowerCase())
    return { ok: false, message: "to: a workflow writes to its owner's own address only" };
  if (ctx.email) await ctx.email({ to: recipient, subject, text, html });
  else {
    const kept = { id, ownerId, workflowId, recipient, subject, text, html };
    await store.keepMail(ctx.db, { ...kept, createdAt: ctx.now() });
  }
  return { ok: true };
}

/** The mailbox: the mails of one owner's workflows, or of all. */
export function listMail(
  ctx: Pick<AppContext, "db">,
  owner: OwnerId | undefined,
  request: PageRequest,
): Promise<Page<store.KeptMail>> {
  return store.pageOfMail(ctx.db, owner, request);
}
