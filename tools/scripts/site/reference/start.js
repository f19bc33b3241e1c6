// Starts the API reference in the page that the platform serves at /docs/api.
const app = document.getElementById("app");
const { origin } = location;
// Whatever is in the element counts as rendered by a server, which the list is not.
app.replaceChildren();

globalThis.Scalar.createApiReference(app, {
  sources: JSON.parse(app.dataset.sources),
  // Nothing is asked of another host, and nothing of the vendor's is offered.
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
