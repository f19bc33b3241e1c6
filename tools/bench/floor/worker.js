import { DurableObject } from "cloudflare:workers";

/** The minimum cost of a durable response: one row in one Durable Object. */
export class FloorObject extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS bodies (id INTEGER PRIMARY KEY, body TEXT)");
  }

  async fetch(request) {
    this.ctx.storage.sql.exec("INSERT INTO bodies (body) VALUES (?)", await request.text());
    return new Response("ok");
  }
}

/** The minimum cost of a delivery: a request to its receiver, and one row in a Durable Object. */
export class DeliveryObject extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS bodies (id INTEGER PRIMARY KEY, body TEXT)");
  }

  async deliver(url, body) {
    const { status } = await fetch(url, { method: "POST", redirect: "manual", body });
    this.ctx.storage.sql.exec("INSERT INTO bodies (body) VALUES (?)", body);
    return status;
  }
}

/** Deliver a body from one object for each of `listeners` to a receiver, all at once. */
async function fanOut(request, env) {
  const { url, listeners, body } = await request.json();
  await Promise.all(
    Array.from({ length: listeners }, (_, index) =>
      env.DELIVERIES.getByName(`listener ${index}`).deliver(url, body),
    ),
  );
  return new Response("ok");
}

export default {
  fetch: (request, env) =>
    new URL(request.url).pathname === "/fan-out"
      ? fanOut(request, env)
      : env.FLOOR.getByName("floor").fetch(request),
};
