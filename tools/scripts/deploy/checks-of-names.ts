import type { Account } from "./account.ts";
import { ApiFailure } from "./api.ts";
import { type Check, IN_THE_WAY, unless404 } from "./checks.ts";
import type { Config, Workers } from "./config.ts";
import { runningWorker } from "./release.ts";
import { isNotOnAccount, namespaceOf, queueOf, queuesOf, resourcesOf } from "./resources.ts";

const NEEDS = "Workers Scripts: Edit";

/** Check whether each name of a deployment is free, or used by the deployment itself. */
export function nameChecks(account: Account, { platform, bundler }: Workers<Config>): Check[] {
  const outbounds = (platform.dispatch_namespaces ?? []).flatMap(({ outbound }) => outbound ?? []);
  return [
    ...resourcesOf(account, platform).map(({ kind, name, needs, find }) => {
      const what = `${kind} ${name}`;
      return required(what, async () => {
        const found = await find({ task: `look for the ${what}`, needs });
        return { state: found === undefined ? "would create" : "exists", what };
      });
    }),
    ...(platform.dispatch_namespaces ?? []).map(({ namespace }) =>
      required(`dispatch namespace ${namespace}`, () => dispatch(account, namespace)),
    ),
    required(`Worker ${platform.name}`, () => worker(account, platform.name, "RELEASE")),
    required(`Worker ${bundler.name}`, () => worker(account, bundler.name, "NPM_REGISTRY_URL")),
    ...outbounds.map(({ service }) =>
      required(`Worker ${service}`, () => worker(account, service, "EGRESS_GATEWAY_URL")),
    ),
    ...(platform.workflows ?? []).map(({ name }) =>
      required(`workflow ${name}`, () => workflow(account, name, platform.name)),
    ),
    ...[...queuesOf(platform)].map((name) =>
      required(`consumer of ${name}`, () => consumer(account, name, platform.name)),
    ),
    ...(platform.vars["PUBLIC_URL"]
      ? [required(platform.vars["PUBLIC_URL"], () => hostname(account, platform))]
      : []),
  ];
}

function required(subject: string, look: Check["look"]): Check {
  return { subject, isRequired: true, look };
}

async function dispatch(account: Account, name: string) {
  const { find, needs } = namespaceOf(account, name);
  const what = `dispatch namespace ${name}`;
  try {
    const found = await find({ task: `look for the ${what}`, needs });
    return { state: found === undefined ? "would create" : "exists", what };
  } catch (error) {
    if (!(error instanceof ApiFailure) || !isNotOnAccount(error)) throw error;
    return { state: "not available", what: "Workers for Platforms is not on this account" };
  }
}

/** A Worker of ours has a binding that another one of this name is unlikely to have. */
async function worker(account: Account, name: string, mark: string) {
  const { exists, bindings } = await runningWorker(account, name);
  if (!exists) return { state: "would upload", what: `Worker ${name}` };
  if (bindings.has(mark)) return { state: "exists", what: `Worker ${name}` };
  return { state: IN_THE_WAY, what: `the account has another Worker named ${name}` };
}

async function workflow({ id, api }: Account, name: string, script: string) {
  const purpose = { task: `look for the workflow ${name}`, needs: NEEDS };
  const path = `/accounts/${id}/workflows/${name}`;
  const found = await unless404(() => api.get<{ script_name: string }>(path, purpose));
  if (!found) return { state: "would create", what: `workflow ${name}` };
  if (found.script_name === script) return { state: "exists", what: `workflow ${name}` };
  return { state: IN_THE_WAY, what: `the workflow ${name} belongs to ${found.script_name}` };
}

/** A queue has one consumer. */
async function consumer(account: Account, name: string, script: string) {
  const { find, needs } = queueOf(account, name);
  const queue = await find({ task: `look for the queue ${name}`, needs });
  const consumers = (queue?.consumers ?? []).map((each) => each.script ?? each.script_name ?? "");
  const taker = consumers.find((each) => each !== script);
  if (taker === undefined) return [];
  return { state: IN_THE_WAY, what: `the queue ${name} is consumed by ${taker || "pulling"}` };
}

/** The zone of a hostname must be on the account, and no other Worker may serve it. */
async function hostname({ id, api }: Account, { name, vars }: Config) {
  const { hostname: host } = new URL(vars["PUBLIC_URL"] ?? "");
  const zone = await zoneOf(api, id, host);
  if (!zone)
    return {
      state: IN_THE_WAY,
      what: `${host}: its zone is not on this account, or the token lacks "Zone: Read" for it`,
    };
  const domains = await api.get<{ service: string }[]>(
    `/accounts/${id}/workers/domains?hostname=${host}`,
    { task: `look for the Worker of ${host}`, needs: NEEDS },
  );
  const [taker] = domains.map(({ service }) => service);
  if (taker === name) return { state: "exists", what: `hostname ${host}` };
  if (taker !== undefined) return { state: IN_THE_WAY, what: `${host} is served by ${taker}` };
  const records = await api.get<{ type: string }[]>(`/zones/${zone}/dns_records?name=${host}`, {
    task: `look for DNS records of ${host}`,
    needs: "Zone DNS: Edit",
  });
  const [record] = records;
  if (!record) return { state: "would create", what: `hostname ${host}` };
  return { state: IN_THE_WAY, what: `${host} has a DNS record (${record.type}): delete it first` };
}

async function zoneOf(api: Account["api"], account: string, host: string) {
  const labels = host.split(".");
  for (let from = 0; from < labels.length - 1; from += 1) {
    const query = new URLSearchParams({
      name: labels.slice(from).join("."),
      "account.id": account,
    });
    const purpose = { task: `look for the zone of ${host}`, needs: "Zone: Read" };
    const [zone] = await api.get<{ id: string }[]>(`/zones?${query.toString()}`, purpose);
    if (zone) return zone.id;
  }
  return undefined;
}
