// Starts the API reference in the page that the platform serves at /docs/api.
const app = document.getElementById("app");
const { origin } = location;
// Scalar treats content in the element as server-rendered, which the list is not.
app.replaceChildren();

globalThis.Scalar.createApiReference(app, {
  sources: JSON.parse(app.dataset.sources),
  // The page sends no request to another host, and offers no product of the vendor.
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: "",
  externalUrls: {
    dashboardUrl: origin,
    registryUrl: origin,
    proxyUrl: origin,
    apiBaseUrl: origin,
  },
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  customCss: 'a[href^="https://www.scalar.com"] { display: none; }',
  // Requests go to the platform that serves this page.
  baseServerURL: origin,
});
