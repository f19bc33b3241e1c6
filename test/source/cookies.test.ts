import { expect, test } from "vitest";

import { deploy, send } from "../support/deploy.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

const COOKIES = ["a=1; Path=/x, y", "b=2"];

test.for([
  ["a list", `{ "Set-Cookie": ${JSON.stringify(COOKIES)}, "x-list": ["1", 2] }`],
  [
    "names that differ in case",
    `{ "set-cookie": "${COOKIES[0]}", "Set-Cookie": "b=2", "X-List": ["1"], "x-list": 2 }`,
  ],
  ["pairs", `[["set-cookie", "${COOKIES[0]}"], ["set-cookie", "b=2"], ["x-list", "1, 2"]]`],
  [
    "Headers",
    `(() => { const headers = new Headers({ "x-list": "1, 2" });
    for (const cookie of ${JSON.stringify(COOKIES)}) headers.append("set-cookie", cookie); return headers; })()`,
  ],
] as const)("sends several cookies separately: %s", async ([, headers]) => {
  const source = await deploy(`export default {
    props: { http: { type: "$.interface.http", customResponse: true } },
    run() { this.http.respond({ status: 200, headers: ${headers} }); },
  }`);
  const flow = await deployWorkflow({
    steps: [
      { name: "s", component_code: code(`$.respond({ status: 200, headers: ${headers} });`) },
    ],
  });
  for (const url of [source.url, flow.url]) {
    const response = await send(url);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
    expect(cookies).toEqual(["a=1", "b=2"]);
    expect(response.headers.get("x-list")).toBe("1, 2");
  }
});
