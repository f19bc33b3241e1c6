import {
  type Attack,
  deploy,
  endpoint,
  hold,
  holdWithin,
  newTenant,
  newWorkspace,
  operate,
  send,
  type Tenant,
  type World,
} from "../world.ts";
import { type Callback, holdGranted, isSigned, startCallback, subscriber } from "./callback.ts";
import { type Agent, agentOf, holdRefused, keyedAgent, newAgent, savedSource } from "./mcp.ts";

const INVALID = -32_602;
const NOT_FOUND = -32_023;

/** The sources that were deployed for agents, of a user or a workspace. */
async function sourcesOf(tenant: Tenant, workspace?: string) {
  const path = workspace === undefined ? "/users/me/sources" : `/workspaces/${workspace}/sources`;
  const { data, text } = await tenant.call("GET", path);
  hold(Array.isArray(data), `Reading the sources got ${text.slice(0, 200)}`);
  return data.filter(({ name }: { name: string }) => name.endsWith("-for-agents"));
}

async function holdMessages(callback: Callback, count: number, what: string): Promise<void> {
  const isThere = async () => callback.messages().length === count;
  await holdWithin(10_000, isThere, `${what}: ${callback.messages().length} messages arrived`);
}

async function emit(
  source: { configured_props: { http: { endpoint_url: string } } },
  body: object,
) {
  const { status } = await send(source.configured_props.http.endpoint_url, {
    method: "POST",
    body,
  });
  hold(status === 200, `Sending ${JSON.stringify(body)}, the source returned ${status}`);
}

/** Two members of a workspace, each with an agent that acts for the workspace, and a published component. */
async function newMembers(world: World) {
  const [ada, bob] = [await newTenant(world), await newTenant(world)];
  const workspace_id = await newWorkspace(world, ada, bob);
  const scope = "read subscribe";
  const first = await keyedAgent(world, ada, scope, { workspace_id });
  const second = await keyedAgent(world, bob, scope, { workspace_id });
  const author = await newTenant(world);
  const component = await savedSource(author);
  await publish(world, author, component);
  return { ada, bob, first, second, workspace: workspace_id, component };
}

export const sharedSources: Attack[] = [
  {
    name: "two agents that share a source see neither each other's filter nor secret, and end only their own",
    async run(world) {
      const { agent: first, tenant } = await newAgent(world);
      const second = await keyedAgent(world, tenant, "read subscribe");
      const component = await savedSource(tenant);
      const [mine, theirs] = [await startCallback(), await startCallback()];
      try {
        const own = subscriber(first, component, mine.url);
        const other = subscriber(second, component, theirs.url);
        holdGranted(await own.subscribe());
        holdGranted(await other.subscribe({ arguments: { filter: "event.id > 1" } }));
        const [source, ...more] = await sourcesOf(tenant);
        hold(source && more.length === 0, "The agents do not share a source");
        await emit(source, { id: 1 });
        await emit(source, { id: 2 });
        await holdMessages(mine, 2, "Without a filter");
        await holdMessages(theirs, 1, "With a filter");
        for (const [callback, secret, foreign] of [
          [mine, own.secret, other.secret],
          [theirs, other.secret, own.secret],
        ] as const)
          for (const one of callback.requests) {
            hold(isSigned(one, secret), "A message lacks the callback's own signature");
            hold(!isSigned(one, foreign), "A message has the other one's signature");
            const text = one.raw + JSON.stringify(one.headers);
            hold(!text.includes(foreign.slice(6)), "A message has the other one's secret");
          }
        const stolen = subscriber(second, component, mine.url);
        holdRefused(await stolen.unsubscribe(), NOT_FOUND, "Ending another agent's subscription");
        hold(
          (await other.unsubscribe({ arguments: { filter: "event.id > 1" } })).result,
          "Its own",
        );
        await emit(source, { id: 3 });
        await holdMessages(mine, 3, "After the other one's end");
        hold(theirs.messages().length === 1, "An ended subscription got an event");
      } finally {
        mine.close();
        theirs.close();
      }
    },
  },
  {
    name: "users of one component share no source, and none reads, ends or deletes another's",
    async run(world) {
      const owner = await newTenant(world);
      const [ada, eve] = [await newAgent(world), await newAgent(world)];
      const component = await savedSource(owner);
      await publish(world, owner, component);
      const [mine, theirs] = [await startCallback(), await startCallback()];
      try {
        holdGranted(await subscriber(ada.agent, component, mine.url).subscribe());
        holdGranted(await subscriber(eve.agent, component, theirs.url).subscribe());
        const [[source], [foreign]] = [await sourcesOf(ada.tenant), await sourcesOf(eve.tenant)];
        hold(source && foreign && source.id !== foreign.id, "Two users share a source");
        await emit(source, { secret: "of-ada" });
        await holdMessages(mine, 1, "The owner's callback");
        hold(theirs.messages().length === 0, "Another user's callback got the event");
        await holdUnreachable(eve, { source: source.id, callback: theirs.url });
        await emit(source, { secret: "of-ada" });
        await holdMessages(mine, 2, "After the attack");
      } finally {
        mine.close();
        theirs.close();
      }
    },
  },
  {
    name: "a former member's subscription to a workspace's shared source ends, and the other one goes on",
    async run(world) {
      const { ada, bob, first, second, workspace, component } = await newMembers(world);
      const [mine, theirs] = [await startCallback(), await startCallback()];
      try {
        holdGranted(await subscriber(first, component, mine.url).subscribe());
        const other = subscriber(second, component, theirs.url);
        holdGranted(await other.subscribe());
        const [source, ...more] = await sourcesOf(ada, workspace);
        hold(source && more.length === 0, "The members do not share a source");
        await emit(source, { id: 1 });
        await holdMessages(theirs, 1, "As a member");
        await operate(world, "DELETE", `/workspaces/${workspace}/members/${bob.id}`);
        await emit(source, { id: 2 });
        await holdMessages(mine, 2, "The member's callback");
        await holdMessages(theirs, 2, "The former member's callback");
        hold(theirs.messages()[1]?.body.type === "terminated", "It got an event");
        hold((await other.subscribe()).status === 404, "The former member subscribed again");
      } finally {
        mine.close();
        theirs.close();
      }
    },
  },
  {
    name: "a token of another project reaches no user, subscription or source of the first one",
    async run(world) {
      const [one, other] = [await newProject(world), await newProject(world)];
      const callback = await startCallback();
      try {
        const own = subscriber(one.agent, one.component, callback.url);
        holdGranted(await own.subscribe());
        for (const token of [other.tenant.key, other.token])
          for (const headers of [one.headers, { ...other.headers, ...one.headers }]) {
            const foreign = agentOf(world, token, { headers });
            const answer = await foreign
              .request("events/list")
              .catch((error: unknown) => String(error));
            hold(
              typeof answer === "string" || answer.status >= 400,
              `It lists: ${JSON.stringify(answer).slice(0, 300)}`,
            );
          }
        const named = subscriber(other.agent, one.component, callback.url, own.secret);
        holdRefused(await named.unsubscribe(), NOT_FOUND, "Ending it by its names");
        hold((await named.subscribe()).error, "Another project took over the subscription");
        hold((await own.unsubscribe()).result, "The control, the own end, was refused");
      } finally {
        callback.close();
      }
    },
  },
  {
    name: "a cursor of another source, of another user or of nobody reveals no event",
    async run(world) {
      const [ada, eve] = [await newAgent(world), await newAgent(world)];
      const [source, twin] = [await emitter(ada.tenant), await emitter(ada.tenant)];
      const foreign = await emitter(eve.tenant);
      const cursor = await cursorOf(ada.agent, source.id);
      for (const { url } of [source, twin, foreign])
        await send(url, { method: "POST", body: { of: url } });
      const poll = (agent: Agent, name: string) => agent.request("events/poll", { name, cursor });
      const { result, text } = await poll(ada.agent, source.id);
      hold(result.events.length === 1, `The own source: ${text.slice(0, 300)}`);
      hold(result.events[0].data.of === source.url, "The cursor reads another source");
      const others = [await poll(ada.agent, twin.id), await poll(eve.agent, foreign.id)];
      for (const { error } of others)
        hold(error?.code === INVALID, `A cursor of another source got ${error?.code}`);
      holdRefused(await poll(eve.agent, source.id), INVALID, "Another user's source and cursor");
      const named = await eve.agent.request("events/poll", { name: source.id });
      holdRefused(named, NOT_FOUND, "Another user's source");
      await holdForgedCursors(ada.agent, source.id, cursor);
    },
  },
];

async function cursorOf(agent: Agent, name: string): Promise<string> {
  return (await agent.request("events/poll", { name })).result.cursor;
}

/** Checks that altered cursors of a source are refused, or are places of the same source. */
async function holdForgedCursors(agent: Agent, name: string, cursor: string): Promise<void> {
  for (const forged of ["x", "AAAA", cursor.slice(1), `${cursor}AAAA`, btoa("e9999999999999-0")]) {
    const { error, result } = await agent.request("events/poll", { name, cursor: forged });
    const isHarmless = error?.code === INVALID || (result?.events.length ?? 0) <= 1;
    hold(isHarmless, `The cursor ${forged} got ${JSON.stringify(result ?? error)}`);
  }
}

async function emitter(tenant: Tenant) {
  return deploy(tenant, endpoint("this.$emit(event.body)"));
}

/** Publish a component of a user's in the registry. */
async function publish(world: World, tenant: Tenant, key: string): Promise<void> {
  const { data } = await tenant.call("GET", `/components/${key}`);
  const { status, text } = await operate(world, "POST", "/registry", { component_code: data.code });
  hold(status === 200, `Publishing got ${status} ${text.slice(0, 300)}`);
}

/** Checks that a user neither reads, ends nor deletes a source of another user. */
async function holdUnreachable(
  { agent, tenant }: Awaited<ReturnType<typeof newAgent>>,
  { source, callback }: { source: string; callback: string },
): Promise<void> {
  for (const [method, path] of [
    ["GET", `/sources/${source}`],
    ["DELETE", `/sources/${source}`],
    ["PUT", `/sources/${source}`],
    ["GET", `/sources/${source}/event_summaries`],
  ] as const) {
    const { status } = await tenant.call(
      method,
      path,
      method === "PUT" ? { active: false } : undefined,
    );
    hold(status === 404, `${method} ${path} got ${status}`);
  }
  const foreign = subscriber(agent, source, callback);
  holdRefused(await foreign.subscribe(), NOT_FOUND, "Subscribing to another user's source");
  holdRefused(await foreign.unsubscribe(), NOT_FOUND, "Ending it");
  holdRefused(await agent.request("events/poll", { name: source }), NOT_FOUND, "Polling it");
}

/** A customer with a project, an agent of an external user in it, and a component. */
async function newProject(world: World) {
  const tenant = await newTenant(world);
  const created = await tenant.call("POST", "/connect/projects", { name: "Shop" });
  const { id: project } = JSON.parse(created.text);
  const external_user_id = "customer-1";
  const headers = { "x-pd-project-id": project, "x-pd-external-user-id": external_user_id };
  const made = await tenant.call("POST", `/connect/${project}/tokens`, { external_user_id });
  const { token } = JSON.parse(made.text);
  hold(token, `The connect token: ${made.text.slice(0, 300)}`);
  const scope = "read act subscribe";
  const agent = await keyedAgent(world, tenant, scope, { project_id: project, external_user_id });
  return { tenant, agent, headers, token, component: await savedSource(tenant) };
}
