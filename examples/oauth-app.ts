// An app with its account, methods and a prop definition: sources and actions share them, and `$auth` has the account's
// credentials. The platform refreshes `oauth_access_token` before it expires, and repeats a request that was refused for it.
import { defineApp, defineSource } from "@wellspring/component";

type Ticket = { id: string; subject: string };

const helpdesk = defineApp({
  type: "app",
  app: "helpdesk",
  propDefinitions: {
    queue: {
      type: "string",
      label: "Queue",
      async options() {
        return this.get("/queues");
      },
    },
  },
  methods: {
    async get<T>(path: string): Promise<T> {
      const response = await fetch(new URL(path, this.$auth["base_url"]), {
        headers: { authorization: `Bearer ${this.$auth["oauth_access_token"]}` },
      });
      if (!response.ok) throw new Error(`${path} returned ${response.status}`);
      return response.json();
    },
    async tickets(queue: string): Promise<Ticket[]> {
      return this.get(`/tickets?queue=${encodeURIComponent(queue)}`);
    },
  },
});

export default defineSource({
  key: "example-oauth-app",
  name: "New tickets",
  version: "0.0.1",
  type: "source",
  description: "Emits each ticket of a queue.",
  dedupe: "unique",
  props: {
    helpdesk,
    timer: { type: "$.interface.timer", default: { intervalSeconds: 300 } },
    queue: { propDefinition: [helpdesk, "queue"] },
  },
  async run() {
    for (const ticket of await this.helpdesk.tickets(this.queue))
      this.$emit(ticket, { id: ticket.id, summary: ticket.subject });
  },
});
