import { randomUUID } from "node:crypto";

import { type Fake, json, jsonOf, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

type Subscription = { notificationUrl: string; clientState: string; expirationDateTime: string };

const HOST = "graph.microsoft.com/v1.0";

/** Microsoft Graph's mail, and subscriptions that are validated before the response. */
function mailbox(subscriptions: Map<string, Subscription>): Fake {
  return routes({
    [`POST ${HOST}/subscriptions`]: async (request) => {
      const wanted = jsonOf<Subscription>(request);
      const objection = await objectionTo(wanted);
      if (objection) return json({ error: { code: "ValidationError", message: objection } }, 400);
      const id = randomUUID();
      subscriptions.set(id, wanted);
      return json({ id, ...wanted }, 201);
    },
    [`PATCH ${HOST}/subscriptions/:id`]: (request) => {
      const found = subscriptions.get(request.params["id"] ?? "");
      if (!found) return json({ error: { code: "ResourceNotFound" } }, 404);
      Object.assign(found, jsonOf<Partial<Subscription>>(request));
      return json(found);
    },
    [`DELETE ${HOST}/subscriptions/:id`]: ({ params: { id = "" } }) => ({
      status: subscriptions.delete(id) ? 204 : 404,
    }),
    [`GET ${HOST}/me/messages`]: () => json({ value: [messageOf("old")] }),
    [`GET ${HOST}/me/messages/:id`]: ({ params: { id = "" } }) => json(messageOf(id)),
    [`GET ${HOST}/me/mailFolders`]: () =>
      json({ value: FOLDERS.map((displayName) => ({ id: displayName, displayName })) }),
  });
}

const FOLDERS = ["Inbox", "Sent Items", "Drafts"];

function messageOf(id: string) {
  return {
    id,
    subject: `No. ${id}`,
    createdDateTime: "2025-01-02T03:04:05Z",
    parentFolderId: "Inbox",
    hasAttachments: false,
  };
}

/** Graph requires the endpoint to repeat a token within ten seconds, as plain text. */
async function objectionTo({ notificationUrl }: Subscription): Promise<string | undefined> {
  const token = `Validation: ${randomUUID()} & more`;
  const url = `${notificationUrl}?validationToken=${encodeURIComponent(token)}`;
  const signal = AbortSignal.timeout(10_000);
  const headers = { "content-type": "text/plain" };
  const response = await fetch(url, { method: "POST", headers, signal });
  const text = await response.text();
  return response.status === 200 && text === token ? undefined : `${response.status} ${text}`;
}

async function newEmail(stage: Stage): Promise<void> {
  const subscriptions = new Map<string, Subscription>();
  stage.serve(mailbox(subscriptions));
  await stage.deploy();
  const [subscription] = subscriptions.values();
  stage.equal("the subscription's URL", subscription?.notificationUrl, stage.endpoint);
  const notify = (id: string, clientState?: string) => {
    const value = [{ clientState, changeType: "created", resourceData: { id } }];
    return stage.push({
      body: JSON.stringify({ value }),
      headers: { "content-type": "application/json" },
    });
  };
  const { status } = await notify("new", subscription?.clientState);
  await notify("forged", "not the state");
  stage.equal("the response", status, 202);
  const emails = await stage.emitted<{ email: { subject: string } }>(2);
  const subjects = emails.map(({ email }) => email.subject);
  stage.equal("the events", subjects.toSorted(), ["No. new", "No. old"]);
  const before = subscription?.expirationDateTime;
  await stage.tick();
  stage.equal("it was renewed", subscription?.expirationDateTime === before, false);
  await stage.stop();
  stage.equal("remaining subscriptions", subscriptions.size, 0);
}

export const GRAPH: Scenario[] = ["graph_like", "microsoft_outlook"].map((app) => ({
  protocol: "Graph validationToken",
  component: `components/${app}/sources/new-email/new-email.mjs`,
  credentials: { oauth_access_token: "eyJ0" },
  follows: "microsoft_outlook-new-email 0.1.5, April 2026",
  play: newEmail,
}));
