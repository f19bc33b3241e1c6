import { inject } from "vitest";

import type { Received, Step } from "./receiver-server.ts";
import { runOf, type withEcho } from "./workflow.ts";

/** A receiver with its responses, and its received requests. */
export async function receiver(...answers: Step[]) {
  const url = `${inject("receiverServer")}/${crypto.randomUUID()}`;
  await fetch(url, { method: "PUT", body: JSON.stringify(answers) });
  const received = async (): Promise<Received[]> => (await fetch(url)).json();
  return { url, received };
}

type Flow = Awaited<ReturnType<typeof withEcho>>;

/** The messages of the first step of a run. */
export const messagesOf = (flow: Flow, runId: string) => async () =>
  (await runOf(flow, runId)).steps[0].messages;

/** The errors of a workflow, newest first. */
export const errorsOf = async ({ user, id }: Flow) =>
  (await user.get(`/workflows/${id}/$errors/event_summaries?expand=event`)).body.data;
