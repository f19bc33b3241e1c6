import { APP_TEXTS, FIELD_TEXTS, OAUTH_TEXTS } from "./apps.ts";
import type { FieldTable } from "./table.ts";

/** Fields of the operator API on apps, and their OAuth clients. */
export const ADMIN_APP_TEXTS: FieldTable<string> = {
  OauthApp: {
    app: "Slug of the app",
    token_url: "URL for refreshing access tokens",
    client_id: "Client id at the provider",
    client_authentication: "The place of client id and secret in a request",
    overrides:
      "Fields that were stored with the client, and replace those of the app; none: the app's apply",
  },
  putOauthApp: {
    app: "Slug of the app",
    token_url: "URL for refreshing access tokens, with http or https; absent: that of the app",
    client_id: "Client id at the provider, at most 4,096 characters",
    client_secret: "Client secret at the provider, at most 4,096 characters. Never shown",
    client_authentication: "The place of client id and secret in a request",
  },
  App: APP_TEXTS,
  AdminApp: {
    ...APP_TEXTS,
    state:
      "ready: accounts can be connected; needs_client: nobody can sign in without an OAuth client; needs_settings: nor without the provider's URLs",
    has_own_settings: "Whether the operator has set fields of the app",
    client_app: "Slug that its OAuth client is set for: that of its family, if it has one",
    client_id: "Client id at the provider, of the app or an app of its family; null: none is set",
    client_overrides: "Fields that were stored with the client, and replace those of the app",
    redirect_uri: "Redirect URI to register at the provider; null: nobody signs in to the app",
    settings: "The set fields of the app",
    "settings.field": "Path of the field, as in the settings of an app; form fields by their names",
    "settings.value": "The value that applies, as JSON",
    "settings.origin":
      "The place that states the field, the first of these: a project, the operator, the catalogue, the code of components",
    guide: "The provider's pages for setting up the app; null: the catalogue does not have it",
    "guide.docs": "URL of the page on how to authenticate",
    "guide.create_at": "URL of the page that creates a client; null: docs describes it",
    "guide.redirect_field": "Name of the provider's setting for redirect URIs; null: unknown",
    "guide.https_only": "Whether the provider requires redirect URIs with HTTPS",
    "guide.review":
      "Text on the provider's review of clients; null: it is not known to review them",
  },
  listApps: { q: "Part of the slug or the name of an app" },
  getApp: {
    project_id:
      "A project, `proj_…`, whose newest client and newest override of the app apply; absent: none",
  },
  putApp: {
    name: "Name of the app; absent: its slug in words",
    auth_type:
      "Kind of authentication of accounts; absent: derived from fields and oauth, or components' code",
    description: "Description for people",
    img_src: "URL or data URL of the app's logo",
    categories: "Categories that the app is listed in, 20 at most",
    featured_weight: "Place in lists sorted by it: a whole number from 0",
    fields: "Form fields that users fill in to connect an account, 50 at most",
    oauth: "Settings of the authorization at the provider (RFC 6749, 4.1)",
    ...FIELD_TEXTS,
    ...OAUTH_TEXTS,
    "oauth.scopes": "Requested scopes",
    "oauth.scope_profiles": "Subsets of the scopes by name, one of which a link may request",
    "oauth.scope_profiles.read_only": "Scopes of the profile for reading",
    "oauth.scope_profiles.read_write": "Scopes of the profile for reading and writing",
    "oauth.scope_profiles.admin": "Scopes of the profile for administration",
    test: "A request that succeeds with valid credentials",
    "test.url": "URL of the request; {{field}} stands for a credential",
    request: "Settings of requests with credentials through the proxy",
    "test.expect":
      "Values by their path in the JSON of the response, if it is a success without them",
    "test.account_name": "Path of a name for the account in the JSON of the response",
    "request.basic": "Credentials of HTTP basic authentication",
    "request.basic.username": "User name; {{field}} stands for a credential",
    "request.basic.password": "Password; {{field}} stands for a credential",
    "request.base_url": "Base of relative URLs; {{field}} is replaced by a credential",
    "request.hosts":
      "Hosts that may receive credentials beside that of base_url; *.example.com: all below it",
    "request.headers": "Headers by name; {{field}} in a value stands for a credential",
    "request.query": "Query parameters by name; {{field}} in a value stands for a credential",
  },
};
