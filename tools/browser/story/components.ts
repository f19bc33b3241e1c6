/** Sources and steps of a shop, in its developers' style. */

export const ORDERS = `export default {
  key: "plum-orders",
  name: "Orders",
  version: "0.3.1",
  type: "source",
  description: "Emits every order of the shop, each once.",
  dedupe: "unique",
  props: {
    http: "$.interface.http",
    db: "$.service.db",
    minimum: { type: "integer", label: "Smallest total", description: "Orders below are dropped", default: 5, min: 0 },
    regions: { type: "string[]", label: "Regions", default: ["EU", "UK"], options: ["EU", "UK", "US"] },
  },
  run({ body: order }) {
    const count = (this.db.get("orders") ?? 0) + 1;
    this.db.set("orders", count);
    this.db.set("last", { id: order.id, total: order.total });
    console.log("order", order.id, "of", order.customer.name);
    this.$emit(order, {
      id: order.id,
      summary: "Order " + order.id + ": " + order.items.length + " items, " + order.total.toFixed(2) + " EUR",
      ts: Date.now(),
    });
  },
};
`;

export const PAYMENTS = `export default {
  key: "plum-payments",
  name: "Payments",
  version: "0.1.0",
  type: "source",
  description: "Emits payments and refunds on channels of their own.",
  props: { http: "$.interface.http" },
  run({ body: { kind, ...payment } }) {
    const summary = (kind === "refund" ? "Refund" : "Payment") + " of " + payment.amount.toFixed(2) + " EUR";
    this.$emit(payment, { id: payment.id, name: kind, summary, ts: Date.now() });
  },
};
`;

export const STOCK = `export default {
  key: "plum-stock",
  name: "Stock levels",
  version: "0.0.4",
  type: "source",
  description: "Reads the stock every quarter of an hour.",
  props: {
    db: "$.service.db",
    timer: { type: "$.interface.timer", default: { cron: "*/15 * * * *" } },
  },
  run() {
    const level = (this.db.get("level") ?? 120) - 7;
    this.db.set("level", level);
    console.log("shelf A holds", level);
    this.$emit({ shelf: "A", level }, { summary: "Shelf A: " + level + " left" });
  },
};
`;

/** Fails on every event: the carrier's tracking service is down. */
export const TRACKING = `function statusOf(parcel) {
  if (!parcel.carrier) throw new Error("Parcel " + parcel.id + " has no carrier");
  return parcel.carrier.status;
}

export default {
  key: "plum-tracking",
  name: "Parcel tracking",
  version: "0.2.0",
  type: "source",
  props: { http: "$.interface.http" },
  run({ body: parcel }) {
    console.warn("requesting the carrier's status of", parcel.id);
    this.$emit({ id: parcel.id, status: statusOf(parcel) });
  },
};
`;

/** A component of the registry with a prop of each common kind. */
export const INVENTORY = `const plum = {
  type: "app", app: "plum",
  propDefinitions: {
    warehouse: {
      type: "string", label: "Warehouse", description: "Whose shelves are counted",
      async options() { return [{ label: "Rotterdam", value: "rtm" }, { label: "Leeds", value: "lba" }, { label: "Porto", value: "opo" }]; },
    },
  },
};
export default {
  key: "plum-new-delivery",
  name: "New Delivery",
  version: "1.2.0",
  type: "source",
  description: "Emit new event when a delivery arrives at a warehouse. [See the documentation](https://plum.example/docs)",
  props: {
    plum,
    http: "$.interface.http",
    warehouse: { propDefinition: [plum, "warehouse"] },
    urgent: { type: "boolean", label: "Urgent ones only", default: false, optional: true },
    tags: { type: "string[]", label: "Tags", optional: true },
  },
  run({ body }) { this.$emit(body, { summary: "Delivery at " + this.warehouse }); },
};
`;

/** A component that needs no account. */
export const HEARTBEAT = `export default {
  key: "plum-heartbeat",
  name: "Heartbeat",
  version: "0.0.2",
  type: "source",
  description: "Emit new event at a regular pace.",
  props: {
    timer: { type: "$.interface.timer", label: "Pace", default: { intervalSeconds: 900 } },
    greeting: { type: "string", label: "Greeting", default: "All is well" },
  },
  run() { this.$emit({ greeting: this.greeting }, { summary: this.greeting }); },
};
`;

export const CHECK_STOCK = `export default {
  name: "Check the stock", version: "0.0.1", type: "action",
  props: { order: { type: "object" } },
  async run({ $ }) {
    for (const { sku, quantity } of this.order.items) console.log("reserved", quantity, "of", sku);
    $.export("$summary", "Reserved " + this.order.items.length + " items");
    return { reserved: true, shelf: "A" };
  },
};
`;

export const BOOK_CARRIER = `export default {
  name: "Book a carrier", version: "0.0.1", type: "action",
  async run({ steps, $ }) {
    const { customer, total } = steps.trigger.event.body;
    if (!customer.country) throw new Error("The order has no country to ship to");
    $.export("$summary", "Booked for " + customer.country);
    return { parcel: "P-" + total * 100, carrier: "Kite" };
  },
};
`;

export const TELL_CUSTOMER = `export default {
  name: "Notify the customer", version: "0.0.1", type: "action",
  async run({ steps, $ }) {
    const { customer } = steps.trigger.event.body;
    console.log("notified", customer.email);
    return { subject: "On its way: " + steps.book_carrier.$return_value.parcel };
  },
};
`;

/** Waits for a person's answer. */
export const APPROVAL = `export default {
  name: "Wait for an answer", version: "0.0.1", type: "action",
  async run({ steps, $ }) {
    if ($.context.run.runs > 1) return { approved: true };
    console.log("requested approval of", steps.trigger.event.body.amount);
    $.flow.suspend(24 * 3600 * 1000);
  },
};
`;
