// An action as a step of a workflow (workflow.json): it exports a summary for people, and its return value is
// `steps.<name>.$return_value` for the steps behind it.
import { defineAction } from "@wellspring/component";

export default defineAction({
  key: "example-total",
  name: "Total",
  version: "0.0.1",
  type: "action",
  description: "Adds up the items of an order.",
  props: {
    items: { type: "object[]", label: "Items", description: "Each with `price` and `quantity`" },
    currency: { type: "string", label: "Currency", optional: true, default: "EUR" },
  },
  run({ $ }) {
    const total = this.items.reduce(
      (sum, { price, quantity }) => sum + Number(price) * Number(quantity ?? 1),
      0,
    );
    $.export("$summary", `${this.items.length} items: ${total} ${this.currency}`);
    return { total, currency: this.currency };
  },
});
