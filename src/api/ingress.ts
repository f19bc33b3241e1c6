import { type Address, addressOf } from "../domain/address.ts";
import { TOKEN_LENGTH } from "../domain/ids.ts";
import { type Answer, refuse, toHttp } from "../network/answers.ts";
import { type Incoming, readIncoming } from "../network/incoming.ts";
import { tellOfRefusal } from "../network/refusals.ts";
import { log } from "../telemetry/log.ts";

const TOKEN = `[0-9A-Za-z]{${TOKEN_LENGTH}}`;

/** Keys begin with the token of what they lead to, so an event finds it without a look-up. Those of workflows have a `p` before it. */
const ENDPOINT = new RegExp(`^/e/(p?)(${TOKEN})${TOKEN}(/.*)?$`);

/** The pauses of a workflow's runs have paths of their own. */
const PAUSE = new RegExp(`^/(?:resume|cancel)/(${TOKEN})`);

const NOT_FOUND = refuse(404, "not_found", "No active source or workflow has this endpoint");

/** An object that fails, or is of another release than its entrance, may have died before its answer or before the event was on disk. */
const FAILED = refuse(503, "unavailable", "The event may not have been taken: send it again", {
  "retry-after": "1",
});

/** Who answers a request, and what it calls the path. */
type Place = {
  emitter: { answer(incoming: Incoming): Promise<Answer> };
  path: string;
};

/**
 * Hand a request to an endpoint (`/e/{key}/…`), or to the pause of a run (`/resume/…`, `/cancel/…`), to the source or
 * the workflow that it belongs to; undefined when it is for neither.
 */
export function ingress(request: Request, env: Env): Promise<Response> | undefined {
  const url = addressOf(request.url);
  return /^\/(?:e|resume|cancel)\//.test(url.pathname) ? take(request, url, env) : undefined;
}

async function take(request: Request, url: Address, env: Env): Promise<Response> {
  const { method } = request;
  const { pathname } = url;
  const asked = { requestId: crypto.randomUUID(), startMs: Date.now(), method, pathname };
  const place = placeOf(pathname, env);
  if (!place) return toHttp(tellOfRefusal(NOT_FOUND, asked), asked);
  const incoming = await readIncoming(request, asked, { url, path: place.path });
  return toHttp(await answerOf(place, incoming), asked);
}

async function answerOf({ emitter }: Place, incoming: Incoming): Promise<Answer> {
  try {
    return await emitter.answer(incoming);
  } catch (error) {
    log("endpoint_failed", { request_id: incoming.requestId, error });
    return tellOfRefusal(FAILED, incoming);
  }
}

function placeOf(pathname: string, { SOURCES, WORKFLOWS }: Env): Place | undefined {
  const [, isWorkflow, token, path = "/"] = ENDPOINT.exec(pathname) ?? [];
  if (token && isWorkflow) return { emitter: WORKFLOWS.getByName(`p_${token}`), path };
  if (token) return { emitter: SOURCES.getByName(`dc_${token}`), path };
  const [, paused] = PAUSE.exec(pathname) ?? [];
  return paused ? { emitter: WORKFLOWS.getByName(`p_${paused}`), path: "/" } : undefined;
}
