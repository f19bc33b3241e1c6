import { type ApiCall, ApiError, type ApiResult, type Route } from "./api.ts";
import { AssetStore } from "./assets.ts";
import { checkOffers, checkTargets, type Known, type Offers } from "./bindings.ts";
import { BASE } from "./server.ts";
import { checkStartup } from "./startup.ts";
import { readWorker, type Upload } from "./upload.ts";
import type { DeployedWorker } from "./worker.ts";

type State = Omit<Known, "workerOf"> & {
  offers: Offers;
  subdomain: { name: string | null };
  workerOf: (name: string) => DeployedWorker;
};

type Scripts = State & { assets: AssetStore };

/** The routes of the account's Workers: running ones, outbound ones, and their static assets. */
export function scriptRoutes(account: State): Route[] {
  const state = { ...account, assets: new AssetStore() };
  const { workerOf } = state;
  const unlessMissing =
    (answer: (worker: DeployedWorker) => ApiResult) =>
    ({ params: { name = "" } }: ApiCall) => {
      if (!(isOutbound(name) ? state.outbounds.has(name) : workerOf(name).upload))
        throw new ApiError(404, 10_007, "This Worker does not exist on your account.");
      return answer(workerOf(name));
    };
  const withSubdomain = (answer: () => ApiResult) => () => {
    if (state.subdomain.name === null)
      throw new ApiError(400, 10_063, "You need a workers.dev subdomain in order to proceed.");
    return answer();
  };
  const script = `${BASE}/workers/scripts/:name`;
  return [
    ...state.assets.routes(),
    [
      `GET ${script}/settings`,
      unlessMissing(({ upload, secrets }) => ({ result: { bindings: shown(upload, secrets) } })),
    ],
    [
      `GET ${script}/secrets`,
      unlessMissing(({ secrets }) => ({
        result: [...secrets.keys()].map((name) => ({ name, type: "secret_text" })),
      })),
    ],
    [`GET ${BASE}/workers/services/:name`, unlessMissing(() => ({ result: SERVICE }))],
    [
      `PUT ${script}`,
      ({ params: { name = "" }, ...call }) =>
        isOutbound(name) ? takeOutbound(state, name, call) : deploy(state, name, call),
    ],
    [
      `DELETE ${script}`,
      unlessMissing((worker) => {
        worker.upload = undefined;
        return { result: null };
      }),
    ],
    [
      `GET ${BASE}/workers/workers/:name`,
      ({ params: { name } }) => ({
        result: {
          id: "id",
          name,
          subdomain: { enabled: true, previews_enabled: false },
        },
      }),
    ],
    [`POST ${script}/subdomain`, () => ({ result: { enabled: true, previews_enabled: false } })],
    [`GET ${script}/subdomain`, () => ({ result: { enabled: true, previews_enabled: false } })],
    [`PUT ${script}/schedules`, withSubdomain(() => ({ result: { schedules: [] } }))],
    [
      `GET ${BASE}/workflows/:name`,
      () => {
        throw new ApiError(404, 10_200, "workflow.not_found");
      },
    ],
    [
      `PUT ${BASE}/workflows/:name`,
      withSubdomain(() => ({ result: { id: "workflow", name: "runs" } })),
    ],
    [`GET ${script}/deployments`, () => ({ result: { deployments: [] } })],
    // An existing Worker is uploaded as a version, which is then deployed, if it has no objects to migrate.
    [
      `POST ${script}/versions`,
      async ({ params: { name = "" }, ...call }) => {
        await (isOutbound(name) ? takeOutbound(state, name, call) : deploy(state, name, call));
        return { result: VERSION };
      },
    ],
    [`POST ${script}/deployments`, () => ({ result: { id: "deployment" } })],
    [`PATCH ${script}/script-settings`, () => ({ result: {} })],
  ];
}

const VERSION = {
  id: "version",
  number: 2,
  startup_time_ms: 10,
  metadata: {},
  resources: { script: { etag: "etag", handlers: ["fetch"] }, script_runtime: {}, bindings: [] },
};

const SERVICE = {
  default_environment: { environment: "production", script: { last_deployed_from: "wrangler" } },
};

function isOutbound(name = ""): boolean {
  return name.startsWith("wellspring-outbound");
}

type Body = Pick<ApiCall, "body" | "headers">;

async function takeOutbound(
  state: Scripts,
  name: string,
  { body, headers }: Body,
): Promise<ApiResult> {
  const upload = await readWorker(body, headers, (metadata) =>
    state.assets.assetsOf(metadata, name),
  );
  checkOffers(upload, state.offers);
  await checkStartup(upload);
  state.outbounds.add(name);
  return { result: { id: name, deployment_id: "d", startup_time_ms: 10 } };
}

async function deploy(state: Scripts, name: string, { body, headers }: Body): Promise<ApiResult> {
  const worker = state.workerOf(name);
  const read = await readWorker(body, headers, (metadata) => state.assets.assetsOf(metadata, name));
  const upload = withInherited(read, worker.upload);
  checkOffers(upload, state.offers);
  checkTargets(upload, state);
  await checkStartup(upload);
  if (!upload.keepsSecrets) worker.secrets.clear();
  for (const { type, name: secret, text } of upload.bindings)
    if (type === "secret_text") worker.secrets.set(secret, text ?? "");
  worker.upload = upload;
  worker.change();
  return { result: { id: name, deployment_id: "d", startup_time_ms: 10 } };
}

/** Bindings of the type `inherit` stay unchanged. */
function withInherited(upload: Upload, previous: Upload | undefined): Upload {
  const bindings = upload.bindings.map((binding) => {
    if (binding.type !== "inherit") return binding;
    const known = previous?.bindings.find(({ name }) => name === binding.name);
    if (!known) throw new ApiError(400, 10_021, `There is no ${binding.name} to inherit`);
    return known;
  });
  return { ...upload, bindings };
}

function shown(upload: Upload | undefined, secrets: Map<string, string>) {
  const plain = (upload?.bindings ?? []).filter(({ type }) => type !== "secret_text");
  return [...plain, ...[...secrets.keys()].map((name) => ({ name, type: "secret_text" }))];
}
