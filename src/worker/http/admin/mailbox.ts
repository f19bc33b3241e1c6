import { createRoute, z } from "@hono/zod-openapi";

import { type KeptMail, listMail } from "#services/mail.ts";

import { createRouter, many, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { Owner } from "./owner.ts";

const MailBody = z
  .object({
    owner_id: z.string(),
    workflow_id: z.string(),
    to: z.string(),
    subject: z.string(),
    text: z.string().nullable(),
    html: z.string().nullable(),
    created_at: z.int(),
  })
  .openapi("Mail");

const list = createRoute({
  operationId: "listMail",
  method: "get",
  path: "/mailbox",
  request: { query: PageQuery.safeExtend({ owner_id: Owner.optional() }) },
  responses: many(MailBody),
});

export const mailbox = createRouter().openapi(list, async (c) => {
  const { owner_id: owner, ...page } = await openPage(c, c.req.valid("query"));
  return c.json(await pageBody(c, await listMail(c.var.platform, owner, page), present), 200);
});

function present(mail: KeptMail): z.input<typeof MailBody> {
  return {
    owner_id: mail.ownerId,
    workflow_id: mail.workflowId,
    to: mail.recipient,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    created_at: mail.createdAt,
  };
}
