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

export default {
  fetch: (request, env) => env.FLOOR.getByName("floor").fetch(request),
};
