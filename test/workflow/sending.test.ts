import { expect, inject, test } from "vitest";

import { operator } from "../support/client.ts";
import { errorsOf, messagesOf, receiver } from "../support/messages.ts";
import type { Received } from "../support/receiver-server.ts";
import { expectDirectoryFits } from "../support/rows.ts";
import { code, deployWorkflow, ended, runOnce, runsOf, withEcho } from "../support/workflow.ts";

type Flow = Awaited<ReturnType<typeof withEcho>>;

const mailbox = async ({ user }: Flow) =>
  (await operator.get(`/mailbox?owner_id=${user.user.id}`)).body.data;

test("$.send.http sends the configured request", async () => {
  const { url, received } = await receiver();
  const flow = await withEcho(
    `await $.send.http({ method: "post", url: "${url}", headers: { "X-A": 1 }, data: { n: 1 } })`,
  );
  expect(await runOnce(flow)).toMatchObject({ state: "succeeded" });
  await expect.poll(received).toMatchObject([
    {
      headers: { "x-a": "1", "content-type": "application/json", "x-wellspring-hops": "1" },
      body: '{"n":1}',
    },
  ]);
});

test("a failed message is recorded with its run and reported", async () => {
  const { url } = await receiver({ status: 404 });
  const flow = await withEcho(`$.send.http({ url: "${url}?key=1", data: "x" })`);
  const run = await runOnce(flow);
  expect(run).toMatchObject({ state: "succeeded", steps: [{}, {}] });
  const error = expect.stringContaining("404");
  await expect
    .poll(messagesOf(flow, run.id))
    .toEqual([
      { kind: "http", target: `POST ${new URL(url).origin}`, state: "failed", attempts: 1, error },
    ]);
  expect(await errorsOf(flow)).toMatchObject([
    { event: { error: { code: "SendError", message: error, step: "first" } } },
  ]);
});

test("$.send.email writes to the owner, locally into the mailbox", async () => {
  const flow = await withEcho(
    `$.send.email({ subject: "Hello", text: "Hi", html: "<b>Hi</b>" }); $.send.email({ subject: "No", to: "eve@example.com" })`,
  );
  await runOnce(flow);
  await expect.poll(async () => (await mailbox(flow)).length).toBe(1);
  expect(await mailbox(flow)).toEqual([
    {
      owner_id: flow.user.user.id,
      workflow_id: flow.id,
      to: flow.user.user.email,
      subject: "Hello",
      text: "Hi",
      html: "<b>Hi</b>",
      created_at: expect.any(Number),
    },
  ]);
  await expect.poll(() => errorsOf(flow)).toHaveLength(1);
  expect((await errorsOf(flow))[0].event.error.message).toContain("owner's own address");
});

test.for([
  ["ASCII", "x", 1],
  ["characters of three bytes", "€", 3],
  ["control characters, which JSON escapes", "\\u0001", 6],
] as const)("the largest mail, of %s, fits the mailbox", async ([, character, bytes]) => {
  const length = Math.floor(900_000 / bytes / 2);
  const part = `"${character}".repeat(${length})`;
  const flow = await withEcho(`$.send.email({ subject: ${part}, text: ${part} })`);
  await runOnce(flow);
  await expect
    .poll(() => mailbox(flow))
    .toMatchObject([{ subject: expect.toSatisfy((text) => text.length === length) }]);
  await expectDirectoryFits();
});

test("$.send.s3 uploads through a presigned URL without a secret", async () => {
  const server = inject("receiverServer");
  const flow = await withEcho(
    `$.send.s3({ endpoint: "${server}", bucket: "b", prefix: "logs/", payload: { n: 1 },
       accessKeyId: "AKID", secretAccessKey: "wJalrXUtnFEMI" })`,
  );
  const run = await runOnce(flow);
  expect(run.state).toBe("succeeded");
  const read = async (): Promise<Received[]> =>
    (await fetch(`${server}/b/logs/${run.id}-1-0`)).json();
  await expect.poll(read).toHaveLength(1);
  const uploads = await read();
  expect(uploads).toMatchObject([
    {
      query: expect.stringMatching(/^X-Amz-Date=.*X-Amz-Expires=86400.*X-Amz-Signature=\w{64}$/),
      body: '{"n":1}',
      headers: { "content-type": "application/json" },
    },
  ]);
  expect(JSON.stringify([run, uploads])).not.toContain("wJalrXUtnFEMI");
});

test("$.send.emit stores an event on its channel, and its listeners receive it", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "emit",
        component_code: code(
          `$.send.emit({ raw_event: steps.trigger.event.body }); $.send.emit({ raw_event: 2, event_name: "named" })`,
        ),
      },
    ],
  });
  const listener = await deployWorkflow({
    owner: flow.user,
    trigger: { type: "none" },
    steps: [{ name: "keep", component_code: code("return 0") }],
  });
  await flow.user.post("/subscriptions", { emitter_id: flow.id, listener_id: listener.id });
  await runOnce(flow, { n: 1 });
  const { body } = await flow.user.get(`/workflows/${flow.id}/event_summaries`);
  expect(body.data).toMatchObject([
    { event: { raw_event: 2 }, metadata: { name: "named", emitter_id: flow.id } },
    { event: { raw_event: { n: 1 } }, metadata: { name: "" } },
  ]);
  await expect.poll(ended(listener)).toMatchObject({
    event: { raw_event: { n: 1 } },
    source_type: "workflow",
    emitter_id: flow.id,
  });
  expect(await runsOf(listener)).toHaveLength(1);
});

test.for<[string, unknown, string]>([
  [`{ name: "Yoda" }`, { name: "Yoda" }, ""],
  [`"text"`, "text", ""],
  [`[1]`, [1], ""],
  [`null`, null, ""],
  [`{ raw_event: 5, more: 1 }`, { raw_event: 5, more: 1 }, ""],
  [`{ raw_event: 5 }, "chan"`, { raw_event: 5 }, "chan"],
  [`{ raw_event: 5, name: "chan" }`, { raw_event: 5 }, "chan"],
])("$.send.emit(%s) stores the event as it is passed", async ([args, event, name]) => {
  const flow = await withEcho(`$.send.emit(${args})`);
  await runOnce(flow);
  const { body } = await flow.user.get(`/workflows/${flow.id}/event_summaries`);
  expect(body.data).toMatchObject([{ event, metadata: { name } }]);
});

test("unknown arguments of $.send are warnings in the log of the step", async () => {
  const { url, received } = await receiver({ status: 200 });
  const flow = await withEcho(
    `$.send.http({ url: "${url}", timeout: 1 }); $.send.email({ subject: "a", from: "b", cc: "c" }); $.send.emit(1, "c", 2)`,
  );
  const { steps } = await runOnce(flow);
  expect(steps[0].logs).toMatchObject([
    { level: "warn", message: "$.send.http: timeout is not known, and not sent" },
    { level: "warn", message: "$.send.email: from, cc are not known, and not sent" },
    { level: "warn", message: "$.send.emit: further arguments are not sent" },
  ]);
  await expect.poll(received).toHaveLength(1);
});

test("$.send.http sends its auth as HTTP Basic", async () => {
  const { url, received } = await receiver({ status: 200 });
  const flow = await withEcho(
    `$.send.http({ url: "${url}", headers: { Authorization: "x" }, auth: { username: "ada", password: "pä" } })`,
  );
  await runOnce(flow);
  const authorization = `Basic ${Buffer.from("ada:pä").toString("base64")}`;
  await expect.poll(received).toMatchObject([{ headers: { authorization } }]);
});

test("$.send.sse reaches the workflow's open streams, and is not stored", async () => {
  const flow = await withEcho(`$.send.sse({ channel: "live", payload: { n: 1 } })`);
  const stream = await flow.stub.fetch("https://emitter/stream?event_name=live");
  const reader = (stream.body ?? new ReadableStream())
    .pipeThrough(new TextDecoderStream())
    .getReader();
  expect((await reader.read()).value).toContain(": open");
  await runOnce(flow);
  const { value } = await reader.read();
  expect(value).toContain('"event":{"n":1},"metadata":{');
  expect(value).toContain('"name":"live"');
  await reader.cancel();
  const { body } = await flow.user.get(`/workflows/${flow.id}/event_summaries?event_name=live`);
  expect(body.data).toEqual([]);
});
