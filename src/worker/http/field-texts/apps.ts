/** Fields of an app as users see it. */
export const APP_TEXTS = {
  id: "Slug of the app",
  name_slug: "Slug of the app, as app props have it",
  name: "Name of the app",
  auth_type: "How accounts are connected: by what users fill in, by signing in, or not at all",
  description: "What the app is, for people; may be empty",
  img_src: "URL or data URL of the app's logo; may be empty",
  custom_fields_json:
    "JSON text of the fields that users fill in: name, type, label, description, placeholder, default, optional",
  categories: "Categories that the app is listed in",
  featured_weight: "Place in lists sorted by it",
  scope_profiles: "Subsets of the app's scopes, one of which a link may ask for",
  "scope_profiles.name": "Name of the profile: read_only, read_write or admin",
  "scope_profiles.scopes": "Scopes of the profile",
};

/** What users fill in to connect an account of an app. */
export const FIELD_TEXTS = {
  "fields.name": "Name by which components read the value of $auth",
  "fields.label": "What the form shows; absent: the name in words",
  "fields.description": "What the form says below the field",
  "fields.secret": "Whether nobody is shown the value; absent: it is secret",
  "fields.optional": "Whether the field may stay empty; absent: it may not",
  "fields.default": "What the field is filled with at first",
  "fields.placeholder": "What the form shows in the empty field",
};

/** How users sign in at the provider of an app. */
export const OAUTH_TEXTS = {
  "oauth.authorize_url": "Where users grant access",
  "oauth.token_url": "Where codes and refresh tokens are exchanged for access tokens",
  "oauth.parameters": "Further parameters of authorize_url by name",
  "oauth.pkce": "Whether a code challenge is sent (RFC 7636)",
  "oauth.client_authentication": "Where client id and secret stand in a token request",
};
