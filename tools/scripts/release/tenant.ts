/** A tenant with one of everything that releases since workflows and accounts store. */

/** Calls a platform with one of its tokens, and returns `data`. */
export type Client = <T>(method: string, path: string, body?: object) => Promise<T>;

/** The tenant's state that a later release must find. */
export type Tenant = {
  workspace: string;
  keeper: { id: string; endpoint: string; values: object };
  store: { id: string; value: object };
  listener: string;
  timer: string;
  workflow: { id: string; endpoint: string; run: string; resume: string };
};

const KEEPER = `export default {
  key: "keeper", name: "Keeper", version: "1.0.0", description: "Returns its configured values",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    token: { type: "string", secret: true },
    tea: { type: "app", app: "tea" },
    store: { type: "data_store" },
  },
  async run() {
    const values = { token: this.token, key: this.tea.$auth.key, stored: await this.store.get("a") };
    this.$emit(values);
    this.http.respond({ status: 200, body: values });
  },
};`;

const LISTENER = `export default { name: "Listener", version: "0.0.1", run(event) { this.$emit({ received: event }); } };`;

const TIMER = `export default { name: "Timer", version: "0.0.1", props: { timer: "$.interface.timer" },
  run() { this.$emit({ ticked: true }); } };`;

/** Waits for the maximum length of a pause: the stored state must be usable long after. */
const WAITING = `export default { name: "waiting", version: "0.0.1", type: "action",
  props: { token: { type: "string", secret: true } },
  run({ $ }) { const { resume_url } = $.flow.suspend(365 * 24 * 3600 * 1000); $.export("resume", resume_url); return { token: this.token }; } };`;

const LAST = `export default { run({ steps }) { return steps.waiting.$return_value; } };`;

type Source = { id: string; configured_props: Record<string, { endpoint_url?: string }> };
type Workflow = { id: string; trigger: { endpoint_url: string } };
type Run = { state: string; steps: { exports: { resume?: string } }[] };

/** Create the tenant on a platform, and use all its resources. */
export async function settleTenant(
  operator: Client,
  user: Client,
  trigger: (url: string) => Promise<unknown>,
): Promise<Tenant> {
  const { id: owner } = await user<{ id: string }>("GET", "/users/me");
  const { id: workspace } = await operator<{ id: string }>("POST", "/workspaces", {
    orgname: "engines",
    name: "Engines",
    email: "engines@example.com",
  });
  await operator("PUT", `/workspaces/${workspace}/members/${owner}`, {});
  const keeper = await keeperOf(operator, user, workspace);
  const listener = await user<Source>("POST", "/sources", {
    component_code: LISTENER,
    workspace_id: workspace,
  });
  await user("POST", "/subscriptions", { emitter_id: keeper.id, listener_id: listener.id });
  const timer = await user<Source>("POST", "/sources", {
    component_code: TIMER,
    configured_props: { timer: { intervalSeconds: 15 } },
  });
  await operator("POST", "/registry", {
    component_code: KEEPER.replace("keeper", "kept-in-registry"),
  });
  const values = await trigger(keeper.endpoint);
  const workflow = await pausedWorkflow(operator, user, { owner, trigger });
  await until(
    async () => (await user<object[]>("GET", `/sources/${listener.id}/event_summaries`)).length > 0,
  );
  const { store, ...source } = keeper;
  return {
    workspace,
    keeper: { ...source, endpoint: pathOf(source.endpoint), values: { ...asObject(values) } },
    store: { id: store, value: { n: 1 } },
    listener: listener.id,
    timer: timer.id,
    workflow,
  };
}

async function keeperOf(operator: Client, user: Client, workspace: string) {
  const account = await operator<{ id: string }>("POST", "/accounts", {
    owner_id: workspace,
    app: "tea",
    name: "Of the engines",
    credentials: { key: "of the account" },
  });
  const store = await user<{ id: string }>("POST", "/data_stores", {
    name: "kept",
    workspace_id: workspace,
  });
  await user("PUT", `/data_stores/${store.id}/records/a`, { value: { n: 1 } });
  const keeper = await user<Source>("POST", "/sources", {
    component_code: KEEPER,
    workspace_id: workspace,
    configured_props: {
      token: "of the source",
      tea: { authProvisionId: account.id },
      store: store.id,
    },
  });
  return {
    id: keeper.id,
    endpoint: keeper.configured_props["http"]?.endpoint_url ?? "",
    store: store.id,
  };
}

/** A workflow with a run that waits to be resumed. */
async function pausedWorkflow(
  operator: Client,
  user: Client,
  { owner, trigger }: { owner: string; trigger: (url: string) => Promise<unknown> },
): Promise<Tenant["workflow"]> {
  const { id, trigger: made } = await operator<Workflow>("POST", "/workflows", {
    owner_id: owner,
    name: "Waiting",
    trigger: { type: "http" },
    steps: [
      { name: "waiting", component_code: WAITING, props: { token: "of the step" } },
      { name: "last", component_code: LAST },
    ],
  });
  const answered = trigger(made.endpoint_url).catch(() => undefined);
  let run = "";
  let resume = "";
  await until(async () => {
    [{ id: run } = { id: "" }] = await user<{ id: string }[]>("GET", `/workflows/${id}/runs`);
    if (run === "") return false;
    const { state, steps } = await user<Run>("GET", `/workflows/${id}/runs/${run}`);
    resume = steps[0]?.exports.resume ?? "";
    return state === "waiting" && resume !== "";
  });
  void answered;
  return { id, endpoint: pathOf(made.endpoint_url), run, resume: pathOf(resume) };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > deadlineMs)
      throw new Error("The release did not finish its work within a minute");
    await new Promise((done) => setTimeout(done, 100));
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
