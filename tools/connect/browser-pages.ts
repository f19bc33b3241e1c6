import { build } from "esbuild-wasm";

/** The requests of a product's pages: its server's part of the API, at names that the browser resolves. */
const CLIENT = `
  import { createFrontendClient } from "@pipedream/sdk/browser";
  const { origin: baseUrl, host: frontendHost } = new URL(PLATFORM);
  const client = createFrontendClient({
    baseUrl, frontendHost, externalUserId: "ada",
    tokenCallback: async () => {
      const { token, connect_link_url: connectLinkUrl, expires_at } = await newToken();
      return { token, connectLinkUrl, expiresAt: new Date(expires_at) };
    },
  });
`;

/** A page with the SDK's client, which records the callbacks of \`connectAccount\`. */
const SDK_PAGE = `
  ${CLIENT}
  const noted = [];
  const note = (name) => (value) => noted.push([name, value instanceof Error ? value.message : value]);
  const connect = (app) => client.connectAccount({
    app, onSuccess: note("success"), onError: note("error"), onClose: note("close"),
  });
  Object.assign(globalThis, { client, noted, connect });
`;

/** A page with the form of a component, which connects the component's account. */
const REACT_PAGE = `
  import { createElement, useState } from "react";
  import { createRoot } from "react-dom/client";
  import { ComponentFormContainer, FrontendClientProvider } from "@pipedream/connect-react";
  ${CLIENT}
  function Form() {
    const [configuredProps, setConfiguredProps] = useState({});
    Object.assign(globalThis, { configuredProps });
    return createElement(ComponentFormContainer, {
      externalUserId: "ada", userId: "ada", componentKey: COMPONENT, configuredProps,
      onUpdateConfiguredProps: setConfiguredProps,
      onSubmit: ({ configuredProps }) => Object.assign(globalThis, { submitted: configuredProps }),
    });
  }
  createRoot(document.getElementById("root")).render(
    createElement(FrontendClientProvider, { client }, createElement(Form)),
  );
`;

/** The scripts of both pages, bundled with the packages in a folder. */
export async function bundlePages(
  folder: string,
  constants: { PLATFORM: string; COMPONENT: string },
): Promise<{ sdk: string; react: string }> {
  const bundle = async (contents: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      write: false,
      format: "esm",
      platform: "browser",
      define: {
        "process.env.NODE_ENV": '"production"',
        ...Object.fromEntries(Object.entries(constants).map(([k, v]) => [k, JSON.stringify(v)])),
      },
    });
    return outputFiles[0]?.text ?? "";
  };
  return { sdk: await bundle(SDK_PAGE), react: await bundle(REACT_PAGE) };
}
