import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

import { type Attack, hold, newTenant, operate, type World } from "./world.ts";

const GUESSES = 200;

/** Guesses in flight, which may all pass before the first of them has failed. */
const AT_ONCE = 20;

/** Addresses of this machine from which no other attack sends: their limits are their own. */
const ADDRESSES = { admin: "127.0.7.1", clients: "127.0.7.2", registrations: "127.0.7.3" };

export const guesses: Attack[] = [
  {
    name: "an address guesses the admin token 30 times in 10 s, and locks nobody else out",
    async run(world) {
      const statuses = await statusesFrom(ADDRESSES.admin, world, (n) => ({
        path: "/admin/users",
        headers: { authorization: `Bearer guess-${n}` },
      }));
      holdsLimit(statuses, 401);
      const { status } = await operate(world, "GET", "/users");
      hold(status === 200, `The operator got ${status}`);
    },
  },
  {
    name: "an address guesses the secrets of OAuth clients 30 times in 10 s",
    async run(world) {
      const eve = await newTenant(world);
      const { data } = await eve.call("POST", "/connect/oauth_clients", { name: "Program" });
      const statuses = await statusesFrom(ADDRESSES.clients, world, (n) => ({
        path: "/v1/oauth/token",
        body: {
          grant_type: "client_credentials",
          client_id: data.client_id,
          client_secret: `guess-${n}`,
        },
      }));
      holdsLimit(statuses, 401);
    },
  },
  {
    name: "an address registers 30 clients of agents in 10 s",
    async run(world) {
      const redirect_uris = ["https://agent.example/callback"];
      const statuses = await statusesFrom(ADDRESSES.registrations, world, (n) => ({
        path: "/oauth/register",
        body: { client_name: `Agent ${n}`, redirect_uris },
      }));
      holdsLimit(statuses, 201);
    },
  },
];

type Guess = { path: string; headers?: Record<string, string>; body?: object };

/** The responses to a burst of requests from one local address; its limits may renew once in between. */
async function statusesFrom(
  localAddress: string,
  { origin }: World,
  guessOf: (n: number) => Guess,
): Promise<number[]> {
  const statuses: number[] = [];
  let n = 0;
  const guess = async (): Promise<void> => {
    while (n < GUESSES) {
      n += 1;
      statuses.push(await statusFrom(localAddress, origin, guessOf(n)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, guess));
  return statuses;
}

async function statusFrom(
  localAddress: string,
  origin: string,
  { path, headers = {}, body }: Guess,
): Promise<number> {
  const sent = request(origin + path, {
    localAddress,
    method: body ? "POST" : "GET",
    headers: { "content-type": "application/json", ...headers },
  });
  sent.end(body && JSON.stringify(body));
  const [response]: IncomingMessage[] = await once(sent, "response");
  hold(response, "There is no response");
  await text(response);
  return response.statusCode ?? 0;
}

function holdsLimit(statuses: number[], whileFew: number): void {
  const admitted = statuses.filter((status) => status === whileFew).length;
  const refused = statuses.filter((status) => status === 429).length;
  hold(admitted > 0 && admitted + refused === GUESSES, `They got ${[...new Set(statuses)].join()}`);
  hold(admitted <= 2 * (30 + AT_ONCE), `${admitted} of ${GUESSES} were looked at`);
}
