import { refusal } from "./api.ts";
import type { Fault } from "./faults.ts";

/** All faults between the platform and the API that may be gone on the next call. */
export const PASSING: [string, Fault][] = [
  ["429", { answer: { ...refusal(429), headers: { "retry-after": "0" } } }],
  ["409", { answer: refusal(409) }],
  ["409 to an effective call", { answer: refusal(409), isApplied: true }],
  ["500 without an envelope", { answer: { status: 500, text: "<h1>Oops</h1>" } }],
  ["502 to an effective call", { answer: { status: 502, text: "" }, isApplied: true }],
  ["503", { answer: refusal(503) }],
  ["a time-out", { answer: "hang" }],
  ["a timeout of an effective call", { answer: "hang", isApplied: true }],
  ["a reset connection", { answer: "reset" }],
  ["a reset connection of an effective call", { answer: "reset", isApplied: true }],
  ["a truncated response", { answer: "cut" }],
  ["success that is not JSON", { answer: { status: 200, text: "OK" } }],
  ["success without an envelope", { answer: { status: 200, text: `{"result":{}}` } }],
  ["truncated success", { answer: { status: 200, text: `{"success":true,"resu` } }],
  ["a success status with an error body", { answer: { ...refusal(500), status: 200 } }],
];
