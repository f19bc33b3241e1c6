/** Fields of an app as users see it. */
export const APP_TEXTS = {
  id: "Slug of the app",
  name_slug: "Slug of the app, as in app props",
  name: "Name of the app",
  auth_type: "Kind of authentication of accounts: form fields, OAuth, or none",
  description: "Description for people; may be empty",
  img_src: "URL or data URL of the app's logo; may be empty",
  custom_fields_json:
    "JSON text of the fields that users fill in: name, type, label, description, placeholder, default, optional",
  categories: "Categories that the app is listed in",
  featured_weight: "Place in lists sorted by it",
  scope_profiles: "Subsets of the app's scopes, one of which a link may request",
  "scope_profiles.name": "Name of the profile: read_only, read_write or admin",
  "scope_profiles.scopes": "Scopes of the profile",
};

/** The form fields for connecting an account of an app. */
export const FIELD_TEXTS = {
  "fields.name": "Name by which components read the value of $auth",
  "fields.label": "Label in the form; absent: the name in words",
  "fields.description": "Help text below the field",
  "fields.secret": "Whether the value is never shown; absent: true",
  "fields.optional": "Whether the field may stay empty; absent: false",
  "fields.default": "Initial value of the field",
  "fields.placeholder": "Text that the form shows in the empty field",
};

/** The settings of signing in at the provider of an app. */
export const OAUTH_TEXTS = {
  "oauth.authorize_url": "URL where users grant access",
  "oauth.token_url": "URL that exchanges codes and refresh tokens for access tokens",
  "oauth.parameters": "Further parameters of authorize_url by name",
  "oauth.pkce": "Whether a code challenge is sent (RFC 7636)",
  "oauth.client_authentication": "The place of client id and secret in a token request",
  "oauth.refresh_url": "URL that exchanges refresh tokens; absent: token_url",
  "oauth.revoke_url":
    "URL that revokes the tokens of deleted accounts (RFC 7009); absent: they are not revoked",
  "oauth.scope_separator": "Text between scopes; absent: a space",
  "oauth.token_parameters": "Further parameters of token requests by name",
  "oauth.token_body": "Encoding of token requests; absent: form",
  "oauth.credentials":
    "Values of the token response or the callback that become fields of $auth, by their name in it",
  "oauth.credentials.from":
    "Place of the value: token. and a path in the token response, or query. and a parameter of the callback",
  "oauth.credentials.hosts":
    "Hosts that the value may name, because requests go to it; *.example.com: all below it",
};

/** The examples of rarely needed settings of signing in. */
export const OAUTH_EXAMPLES = {
  "oauth.refresh_url": "https://shop.example.com/oauth/refresh",
  "oauth.revoke_url": "https://shop.example.com/oauth/revoke",
  "oauth.scope_separator": ",",
  "oauth.token_parameters": { audience: "orders" },
  "oauth.token_body": "json",
  "oauth.credentials": { shop_url: { from: "token.shop.url", hosts: ["*.shop.example.com"] } },
  "oauth.credentials.from": "token.shop.url",
  "oauth.credentials.hosts": ["*.shop.example.com"],
};
