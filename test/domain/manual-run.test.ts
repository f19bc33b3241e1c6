import { expect, test } from "vitest";

import { eventOfManualRun } from "#domain/manual-run.ts";

const timer = { name: "timer", type: "$.interface.timer" };
const http = { name: "http", type: "$.interface.http" };
const urls = { http: "https://wellspring.test/e/key" };
const every = { timer: { cron: null, interval_seconds: 60 } };
const request = {
  method: "GET",
  path: "/",
  query: {},
  headers: {},
  bodyRaw: "",
  url: "https://wellspring.test/e/key",
  client_ip: "",
};

test.for([
  ["a timer", [timer], every, { timestamp: 5, interval_seconds: 60 }],
  ["a timer beside an endpoint", [http, timer], every, { timestamp: 5, interval_seconds: 60 }],
  ["an endpoint", [http], {}, request],
  ["a paused timer and an endpoint", [timer, http], {}, request],
  ["neither", [], {}, {}],
] as const)(
  "a manual run of a source with %s has the event of its next trigger",
  ([, props, values, event]) => {
    expect(eventOfManualRun({ props, configuredProps: values, urls }, 5999)).toEqual(event);
  },
);
