import { WorkerEntrypoint } from "cloudflare:workers";

import type { Mail, MailResult } from "#domain/mail.ts";
import { sendMail } from "#services/mail.ts";
import { openContext } from "#worker/bindings.ts";

/** Sends mail for workflows. They never access D1; this looks up the recipient for them. */
export class Mailing extends WorkerEntrypoint<Env> {
  send(mail: Mail): Promise<MailResult> {
    return sendMail(openContext(this.env), mail);
  }
}
