import { expect, test } from "vitest";

import { deploy, eventsOf, send } from "../support/deploy.ts";
import { deployWorkflow, runOnce, triggerHttp } from "../support/workflow.ts";

const IMPORTS = `import { PassThrough, Readable } from "node:stream";`;

const source = (body: string) => `${IMPORTS} export default {
  props: { http: { type: "$.interface.http", customResponse: true } },
  async run(event) { ${body} },
}`;

const step = (body: string) => `${IMPORTS} export default { async run({ $ }) { ${body} } };`;

/** Streams of "Grüße ✓", some of which end after the call of `respond()`. */
const STREAMS: [string, string][] = [
  ["of texts", `Readable.from(["Grü", "ße ✓"])`],
  ["of bytes", `Readable.from([Buffer.from("Grü"), new Uint8Array(Buffer.from("ße ✓"))])`],
  [
    "that is written meanwhile",
    `(() => { const through = new PassThrough(); setTimeout(() => through.end("Grüße ✓"), 20); return through; })()`,
  ],
  ["of the web", `new Response("Grüße ✓").body`],
  ["of a generator", `(async function* () { yield "Grü"; yield "ße ✓"; })()`],
  ["of a Blob", `new Blob(["Grüße ✓"])`],
];

test.for(STREAMS)("the body of a source's response may be a stream %s", async ([, stream]) => {
  const { url } = await deploy(
    source(`this.http.respond({ status: 201, headers: { "x-a": "b" }, body: ${stream} })`),
  );
  const response = await send(url);
  expect([response.status, response.headers.get("x-a")]).toEqual([201, "b"]);
  expect(await response.text()).toBe("Grüße ✓");
});

test("the body of a step's response may be a stream, also of a response at once", async () => {
  for (const more of ["", "immediate: true,"]) {
    const component_code = step(
      `await $.respond({ status: 201, ${more} body: Readable.from(["Grü", "ße ✓"]) })`,
    );
    const { url } = await deployWorkflow({ steps: [{ name: "answer", component_code }] });
    expect(await triggerHttp(url)).toMatchObject({ status: 201, text: "Grüße ✓" });
  }
});

/** Streams that cannot be sent, and a part of the error. */
const BROKEN: [string, string][] = [
  [`Readable.from([{ a: 1 }])`, "a stream as body has text or bytes, not object"],
  [`(async function* () { yield "part"; throw new Error("broken off"); })()`, "broken off"],
  [`new Readable().destroy(new Error("destroyed"))`, "destroyed"],
  [`{ pipe() {} }`, "body is a stream that cannot be read"],
  [
    `(async function* () { for (;;) yield Buffer.alloc(1024 * 1024); })()`,
    "may have at most 28 MB in all",
  ],
];

test.for(BROKEN)("a stream that cannot be sent fails the step: %s", async ([stream, why]) => {
  const component_code = step(`$.respond({ status: 200, body: ${stream} })`);
  const flow = await deployWorkflow({ steps: [{ name: "answer", component_code }] });
  expect(await runOnce(flow)).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining(why) },
  });
});

test.for(BROKEN)(
  "a stream that cannot be sent fails the source's run: %s",
  async ([stream, why]) => {
    const { url, stub } = await deploy(source(`this.http.respond({ body: ${stream} })`));
    expect((await send(url)).status).toBe(502);
    expect(await eventsOf(stub, "$errors")).toMatchObject([
      { event: { error: { message: expect.stringContaining(why) } } },
    ]);
  },
);

test("a second response does not replace one whose stream is still read", async () => {
  const { url } = await deploy(
    source(
      `this.http.respond({ body: Readable.from(["first"]) }); this.http.respond({ body: "second" });`,
    ),
  );
  expect(await (await send(url)).text()).toBe("first");
});
