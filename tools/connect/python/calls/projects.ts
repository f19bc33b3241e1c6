import type { PythonCall } from "../call.ts";
import {
  APP,
  KEYED_WEBHOOK,
  pageShape,
  PROJECT,
  READ_WEBHOOK,
  SET_WEBHOOK,
  TOKEN,
  USAGE,
  USER,
} from "../shapes.ts";

const DAY_SECONDS = 86_400;

/** Projects, their tokens and their external users. */
export const PROJECT_CALLS: readonly PythonCall[] = [
  {
    call: "oauth_tokens.create",
    request: "POST /v1/oauth/token",
    args: ({ clientId, clientSecret }) => ({ client_id: clientId, client_secret: clientSecret }),
    answer: { access_token: "text", token_type: "text", expires_in: "integer" },
  },
  {
    call: "projects.create",
    request: "POST /v1/connect/projects",
    args: () => ({ name: "Python", app_name: "The Python" }),
    answer: PROJECT,
    made: { other: "id" },
    check: (answer) => answer.app_name === "The Python",
  },
  {
    call: "projects.list",
    request: "GET /v1/connect/projects",
    query: ["limit", "q"],
    args: () => ({ limit: 1, q: "Python" }),
    answer: pageShape(PROJECT),
    check: ({ data }, { other }) => data.some(({ id }: Answered) => id === other),
  },
  {
    call: "projects.retrieve",
    request: "GET /v1/connect/projects/{project_id}",
    args: ({ other }) => ({ project_id: other }),
    answer: PROJECT,
  },
  {
    call: "projects.update",
    request: "PATCH /v1/connect/projects/{project_id}",
    args: ({ other }) => ({ project_id: other, support_email: "help@example.com" }),
    answer: PROJECT,
    check: (answer) => answer.support_email === "help@example.com",
  },
  {
    call: "projects.update_logo",
    request: "POST /v1/connect/projects/{project_id}/logo",
    args: ({ other }) => ({ project_id: other, logo: "data:image/png;base64,iVBORw0KGgo=" }),
  },
  {
    call: "projects.delete",
    request: "DELETE /v1/connect/projects/{project_id}",
    args: ({ other }) => ({ project_id: other }),
  },
  {
    call: "projects.retrieve_info",
    request: "GET /v1/connect/{project}/projects/info",
    answer: { apps: [{ "id?": "text", "name_slug?": "text" }] },
  },
  {
    call: "tokens.create",
    request: "POST /v1/connect/{project}/tokens",
    args: ({ user }) => ({ external_user_id: user, expires_in: 3600 }),
    answer: TOKEN,
    made: { token: "token" },
  },
  {
    call: "tokens.validate",
    request: "GET /v1/connect/tokens/{ctok}/validate",
    query: ["app_id"],
    args: ({ token }) => ({ ctok: token, app_id: "shop" }),
    answer: { success: "flag", "app?": APP, "project_id?": "text", "error?": "text" },
    check: (answer, { project }) => answer.success && answer.project_id === project,
  },
  {
    call: "users.list",
    request: "GET /v1/connect/{project}/users",
    query: ["limit", "q"],
    args: ({ user }) => ({ limit: 1, q: user }),
    answer: pageShape(USER),
    check: ({ data }, { user }) => data[0].external_id === user,
  },
  {
    call: "project_environment.update_webhook",
    request: "PUT /v1/connect/{project}/webhook",
    args: ({ shop }) => ({ url: `${shop}/project` }),
    answer: SET_WEBHOOK,
  },
  {
    call: "project_environment.retrieve_webhook",
    request: "GET /v1/connect/{project}/webhook",
    answer: READ_WEBHOOK,
    check: ({ data }, { shop }) => data.url === `${shop}/project`,
  },
  {
    call: "project_environment.regenerate_webhook_signing_key",
    request: "POST /v1/connect/{project}/webhook/regenerate_signing_key",
    answer: KEYED_WEBHOOK,
  },
  {
    call: "project_environment.delete_webhook",
    request: "DELETE /v1/connect/{project}/webhook",
  },
  {
    call: "usage.list",
    request: "GET /v1/connect/usage",
    query: ["start_ts", "end_ts"],
    args: () => {
      const now = Math.floor(Date.now() / 1000);
      return { start_ts: now - DAY_SECONDS, end_ts: now + 60 };
    },
    answer: USAGE,
  },
];

type Answered = { id: string };
