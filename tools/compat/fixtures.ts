import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Refusal } from "../scripts/local/refusal.ts";
import { type Fake, json, routes } from "./faithful/fake.ts";

/** What the author of a component gives for its trial, instead of generated values. */
export type Fixtures = {
  /** Values of props, by name. */
  props?: Record<string, unknown>;
  /** The event that it runs on: the body of the request to its endpoint, if it has one. */
  event?: unknown;
  /** The JSON of responses by route, such as `GET api.example.com/things/:id`. Other requests get 404. */
  responses?: Record<string, unknown>;
};

const FIELDS = ["props", "event", "responses"];
const ROUTE = /^[A-Z]+ [^\s/]+\/\S*$/;

/**
 * The fixtures beside a component: `orders.fixtures.json` for `orders.js`. Undefined if there are none. Throws a
 * `Refusal` for an invalid file.
 */
export async function fixturesFor(root: string, path: string): Promise<Fixtures | undefined> {
  const file = path.replace(/\.\w+$/, ".fixtures.json");
  const text = await readFile(join(root, file), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const problem = problemIn(text);
  if (problem !== undefined) throw new Refusal(`${file}: ${problem}`);
  return JSON.parse(text);
}

/** The reason why a text is no fixtures. */
function problemIn(text: string): string | undefined {
  const value = parsed(text);
  if (!isObject(value)) return "must be a JSON object";
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `${unknown}: is not one of ${FIELDS.join(", ")}`;
  const { props = {}, responses = {} } = value;
  if (!isObject(props)) return "props: must be an object of values by name";
  if (!isObject(responses)) return "responses: must be an object of JSON by route";
  const route = Object.keys(responses).find((one) => !ROUTE.test(one));
  if (route === undefined) return undefined;
  return `responses: must have routes like "GET api.example.com/things/:id", not ${JSON.stringify(route)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A fake that responds as the fixtures say, and with 404, which names the request, to all others. */
export function fakeOf(responses: Record<string, unknown>): Fake {
  const handlers = Object.entries(responses).map(([route, body]) => [route, () => json(body)]);
  const fake = routes(Object.fromEntries(handlers));
  return async (request) => {
    const { method, url } = request;
    const error = `The fixtures have no response to ${method} ${url.host}${url.pathname}`;
    return (await fake(request)) ?? json({ error }, 404);
  };
}
