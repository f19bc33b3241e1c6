import { setTimeout as wait } from "node:timers/promises";

import type { Person, Platform } from "../console.ts";
import { subscribeAgents } from "./agents.ts";
import { type Call, callAs, post, until } from "./api.ts";
import { fillShelves, importCollection } from "./collection.ts";
import {
  APPROVAL,
  BOOK_CARRIER,
  CHECK_STOCK,
  HEARTBEAT,
  INVENTORY,
  ORDERS,
  PAYMENTS,
  STOCK,
  TELL_CUSTOMER,
  TRACKING,
} from "./components.ts";
import { orderOf } from "./orders.ts";

/** The resources of the shop on its platform, by the ids in URLs. */
export type Story = {
  person: Person;
  orders: { id: string; endpoint: string };
  /** An event of the source of orders. */
  event: string;
  payments: string;
  tracking: string;
  stock: string;
  warehouse: string;
  bookkeeping: string;
  fulfil: string;
  /** A failed run of it. */
  run: string;
  refunds: string;
  project: string;
  workspace: string;
  /** An account that the shop owns. */
  account: string;
  /** A data store. */
  shelves: string;
  /** A delivery to the warehouse. */
  delivery: string;
  /** An import of components. */
  collection: string;
};

const ORDERS_SENT = 24;
const PARCELS_SENT = 11;

/** Fill a platform with a shop's data: sources, webhooks, workflows and accounts, with successes and failures. */
export async function tellStory(platform: Platform, person: Person): Promise<Story> {
  const [call, operate] = [callAs(person), callAs(platform.operator)];
  await describeApps(operate);
  const project = await connectCustomers(call);
  const workspace = await shareWorkspace(operate, person);
  const sources = await deploySources(call);
  const workflows = await deployWorkflows(call);
  const webhooks = await listen(call, platform.target.url, { ...sources, ...workflows });
  await subscribeAgents(platform, person, { project, source: sources.orders.id });
  await sell(sources, workflows);
  await untilSettled(call, {
    orders: sources.orders.id,
    fulfil: workflows.fulfil.id,
    refunds: workflows.refunds.id,
    warehouse: webhooks.warehouse,
  });
  const runs = await call("GET", `/workflows/${workflows.fulfil.id}/runs`);
  const [account] = await call("GET", "/accounts");
  const [delivery] = await call("GET", `/webhooks/${webhooks.warehouse}/deliveries`);
  const [event] = await call("GET", `/sources/${sources.orders.id}/event_summaries`);
  return {
    person,
    orders: sources.orders,
    event: event.id,
    payments: sources.payments.id,
    tracking: sources.tracking.id,
    stock: sources.stock.id,
    ...webhooks,
    fulfil: workflows.fulfil.id,
    run: idOf(runs, "failed"),
    refunds: workflows.refunds.id,
    project,
    workspace,
    account: account.id,
    shelves: await fillShelves(call),
    delivery: delivery.id,
    collection: await importCollection(platform.operator),
  };
}

function idOf(runs: { id: string; state: string }[], wanted: string): string {
  const found = runs.find(({ state }) => state === wanted);
  if (!found) throw new Error(`No run is ${wanted}`);
  return found.id;
}

async function describeApps(operate: Call): Promise<void> {
  const fields = [{ name: "api_key", label: "API key", secret: true }];
  const apps = { plum: "Plum", kite: "Kite Parcels", ledgerly: "Ledgerly" };
  for (const [slug, name] of Object.entries(apps))
    await operate("PUT", `/apps/${slug}`, {
      name,
      auth_type: "keys",
      description: `${name}, for shops`,
      categories: ["Commerce"],
      fields,
    });
  for (const code of [INVENTORY, HEARTBEAT])
    await operate("POST", "/registry", { component_code: code });
}

/** A project whose users have accounts, beside the shop's own accounts. */
async function connectCustomers(call: Call): Promise<string> {
  for (const [app, name] of [
    ["plum", "Main shop"],
    ["kite", "Kite, Rotterdam"],
    ["ledgerly", "Bookkeeping"],
  ])
    await call("POST", "/accounts", { app, name, credentials: { api_key: "k-1" } });
  const { id: project } = await call("POST", "/connect/projects", {
    name: "Plum for merchants",
    app_name: "Plum",
    support_email: "help@plum.example",
  });
  await call("POST", "/connect/oauth_clients", { name: "Server of merchants" });
  for (const user of ["merchant-118", "merchant-204"]) {
    const { token } = await call("POST", `/connect/${project}/tokens`, { external_user_id: user });
    await call("POST", `/connect/${project}/accounts`, {
      app_slug: "kite",
      connect_token: token,
      external_user_id: user,
      cfmap_json: JSON.stringify({ api_key: "k-2" }),
      name: `Kite of ${user}`,
    });
  }
  const trigger = { id: "plum-heartbeat", external_user_id: "merchant-118" };
  await call("POST", `/connect/${project}/triggers/deploy`, trigger);
  return project;
}

async function shareWorkspace(operate: Call, { id, username }: Person): Promise<string> {
  const { id: workspace } = await operate("POST", "/workspaces", {
    orgname: `warehouse-${username}`,
    name: "Warehouse team",
    email: "warehouse@plum.example",
  });
  await operate("PUT", `/workspaces/${workspace}/members/${id}`);
  return workspace;
}

async function deploySources(call: Call) {
  const deploy = async (component_code: string, name: string) => {
    const source = await call("POST", "/sources", { component_code, name });
    const endpoint: string = source.configured_props.http?.endpoint_url ?? "";
    return { id: String(source.id), endpoint };
  };
  const orders = await deploy(ORDERS, "Orders");
  const payments = await deploy(PAYMENTS, "Payments");
  const stock = await deploy(STOCK, "Stock levels");
  const tracking = await deploy(TRACKING, "Parcel tracking");
  // A second version, so that the page has a difference to show.
  const changed = ORDERS.replace("0.3.1", "0.3.2").replace("toFixed(2)", "toFixed(2).padStart(6)");
  await call("PUT", `/sources/${orders.id}`, { component_code: changed, name: "Orders" });
  return { orders, payments, stock, tracking };
}

async function deployWorkflows(call: Call) {
  const deploy = async (name: string, codes: Record<string, [code: string, props?: object]>) => {
    const steps = Object.entries(codes).map(([step, [component_code, props]]) => {
      return { name: step, component_code, ...(props && { props }) };
    });
    const workflow = await call("POST", "/workflows", { name, trigger: { type: "http" }, steps });
    return { id: String(workflow.id), endpoint: String(workflow.trigger.endpoint_url) };
  };
  const fulfil = await deploy("Fulfil an order", {
    check_stock: [CHECK_STOCK, { order: "{{ steps.trigger.event.body }}" }],
    book_carrier: [BOOK_CARRIER],
    tell_customer: [TELL_CUSTOMER],
  });
  const refunds = await deploy("Approve refunds", { answer: [APPROVAL] });
  return { fulfil, refunds };
}

type Emitters = Record<"orders" | "payments" | "tracking" | "fulfil", { id: string }>;

/** Webhooks that receive the sources' events: one accepts them, and one is down. */
async function listen(call: Call, target: string, { orders, payments }: Emitters) {
  const create = (name: string, path: string, description: string) =>
    call("POST", "/webhooks", { name, url: `${target}${path}`, description });
  const { id: warehouse } = await create("Warehouse", "/warehouse", "Picks ordered items");
  const { id: bookkeeping } = await create("Bookkeeping", "/broken", "Books payments");
  const subscribe = (emitter_id: string, listener_id: string, event_name?: string) =>
    call("POST", "/subscriptions", { emitter_id, listener_id, ...(event_name && { event_name }) });
  await subscribe(orders.id, warehouse);
  await subscribe(payments.id, bookkeeping, "payment");
  await subscribe(payments.id, bookkeeping, "refund");
  return { warehouse: String(warehouse), bookkeeping: String(bookkeeping) };
}

type Endpoints<Name extends string> = Record<Name, { id: string; endpoint: string }>;

async function sell(
  { orders, payments, tracking }: Endpoints<"orders" | "payments" | "tracking">,
  { fulfil, refunds }: Endpoints<"fulfil" | "refunds">,
): Promise<void> {
  for (let number = 0; number < ORDERS_SENT; number += 1) {
    const order = orderOf(number);
    await post(orders.endpoint, order);
    const { id, total: amount } = order;
    const kind = number % 6 === 5 ? "refund" : "payment";
    if (number % 2 === 0) await post(payments.endpoint, { kind, id: `pay_${id}`, amount });
    if (number % 4 === 0) await post(fulfil.endpoint, order);
    await wait(20);
  }
  const { country: _none, ...customer } = orderOf(0).customer;
  await post(fulfil.endpoint, { ...orderOf(0), customer });
  await post(refunds.endpoint, { payment: "pay_1041", amount: 86.4 });
  for (let number = 0; number < PARCELS_SENT; number += 1)
    await post(tracking.endpoint, { id: `P-${8640 + number}` });
}

async function untilSettled(
  call: Call,
  {
    orders,
    fulfil,
    refunds,
    warehouse,
  }: Record<"orders" | "fulfil" | "refunds" | "warehouse", string>,
): Promise<void> {
  await until(async () => {
    const events = await call("GET", `/sources/${orders}/event_summaries?limit=100`);
    const [run] = await call("GET", `/workflows/${refunds}/runs`);
    const [failing] = await call("GET", `/workflows/${fulfil}/runs`);
    const deliveries = await call("GET", `/webhooks/${warehouse}/deliveries`);
    const hasRun = run?.state === "waiting" && failing?.state === "failed";
    return events.length >= ORDERS_SENT && hasRun && deliveries.length > 0;
  }, "the shop emitted its orders");
}
