import { addressOf } from "../domain/address.ts";
import { TOKEN_LENGTH } from "../domain/ids.ts";
import { refuse } from "../network/answers.ts";

const TOKEN = `[0-9A-Za-z]{${TOKEN_LENGTH}}`;

/** Keys begin with the token of what they lead to, so an event finds it without a look-up. */
const SOURCE = new RegExp(`^/e/(${TOKEN})${TOKEN}(?:/|$)`);

/** Those of workflows have a `p` before it; the pauses of their runs have paths of their own. */
const WORKFLOW = new RegExp(`^/(?:e/p(?=${TOKEN}${TOKEN}(?:/|$))|(?:resume|cancel)/)(${TOKEN})`);

/**
 * Hand a request to an endpoint (`/e/{key}/…`), or to the pause of a run (`/resume/…`, `/cancel/…`), to the source or
 * the workflow that it belongs to; undefined when it is for neither.
 */
export function ingress(request: Request, env: Env): Promise<Response> | undefined {
  const { pathname } = addressOf(request.url);
  if (!/^\/(?:e|resume|cancel)\//.test(pathname)) return undefined;
  const [, source] = SOURCE.exec(pathname) ?? [];
  if (source) return env.SOURCES.getByName(`dc_${source}`).fetch(request);
  const [, workflow] = WORKFLOW.exec(pathname) ?? [];
  if (workflow) return env.WORKFLOWS.getByName(`p_${workflow}`).fetch(request);
  const message = "No active source or workflow has this endpoint";
  return Promise.resolve(refuse(404, "not_found", message));
}
