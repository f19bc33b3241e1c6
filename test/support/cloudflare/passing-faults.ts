import { refusal } from "./api.ts";
import type { Fault } from "./faults.ts";

/** Everything that goes wrong between us and the API, and may go well the next time. */
export const PASSING: [string, Fault][] = [
  ["429", { answer: { ...refusal(429), headers: { "retry-after": "0" } } }],
  ["409", { answer: refusal(409) }],
  ["409 to what took effect", { answer: refusal(409), isApplied: true }],
  ["500 without an envelope", { answer: { status: 500, text: "<h1>Oops</h1>" } }],
  ["502 to what took effect", { answer: { status: 502, text: "" }, isApplied: true }],
  ["503", { answer: refusal(503) }],
  ["a time-out", { answer: "hang" }],
  ["a time-out of what took effect", { answer: "hang", isApplied: true }],
  ["a reset connection", { answer: "reset" }],
  ["a reset connection of what took effect", { answer: "reset", isApplied: true }],
  ["an answer cut short", { answer: "cut" }],
  ["success that is no JSON", { answer: { status: 200, text: "OK" } }],
  ["success that is no envelope", { answer: { status: 200, text: `{"result":{}}` } }],
  ["success that ends too soon", { answer: { status: 200, text: `{"success":true,"resu` } }],
  ["a status of success that denies it", { answer: { ...refusal(500), status: 200 } }],
];
