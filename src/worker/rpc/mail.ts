import { WorkerEntrypoint } from "cloudflare:workers";

import type { Mail, MailResult } from "#domain/mail.ts";
import { sendMail } from "#services/mail.ts";
import { openContext } from "#worker/bindings.ts";

/** Where workflows hand over mail. They never read D1; this finds out for them whom a mail goes to. */
export class Mailing extends WorkerEntrypoint<Env> {
  send(mail: Mail): Promise<MailResult> {
    return sendMail(openContext(this.env), mail);
  }
}
