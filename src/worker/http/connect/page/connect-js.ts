/**
 * Our library for pages of products: `Wellspring.connectAccount({token, app})` opens the connect page in a dialog, and
 * resolves to `{id}` of the account; if the user closes it, it rejects with the last error. It is served at
 * /connect.js, in at most 5 KB.
 */
export const CONNECT_JS = `
(() => {
  "use strict";
  const script = document.currentScript && document.currentScript.src;
  const NAMES = ["token", "app", "oauthAppId", "appOverrideId", "accountId", "oauthScopeProfile", "customOauthClient"];

  const originOf = (host) => {
    if (!host) throw new TypeError("host: is required where connect.js is not loaded by a script element");
    return new URL(/^https?:\\/\\//.test(host) ? host : "https://" + host).origin;
  };

  const connectAccount = (options) => new Promise((resolve, reject) => {
    for (const name of ["token", "app"])
      if (typeof options[name] !== "string" || options[name] === "") throw new TypeError(name + ": is required");
    const origin = originOf(options.host || script);
    const url = new URL("/_static/connect.html", origin);
    for (const name of NAMES) if (options[name]) url.searchParams.set(name, options[name]);

    const dialog = document.createElement("dialog");
    const frame = document.createElement("iframe");
    const fill = "position:fixed;inset:0;width:100%;height:100%;max-width:none;max-height:none;margin:0;padding:0;border:0;";
    dialog.style.cssText = fill + "background:transparent;overflow:hidden";
    frame.style.cssText = fill + "color-scheme:normal";
    dialog.setAttribute("aria-label", "Connect an account");
    frame.title = "Connect an account";
    frame.src = url.href;
    dialog.append(frame);

    let failure = new DOMException("The window was closed before an account was connected", "AbortError");
    const listen = (event) => {
      if (event.origin !== origin || event.source !== frame.contentWindow || !event.data) return;
      const { type, authProvisionId, error } = event.data;
      if (type === "success") resolve({ id: authProvisionId });
      if (type === "error") failure = new Error(error);
      if (type === "close") dialog.close();
    };
    addEventListener("message", listen);
    dialog.addEventListener("close", () => {
      removeEventListener("message", listen);
      dialog.remove();
      reject(failure);
    });
    document.body.append(dialog);
    dialog.showModal();
    frame.focus();
  });

  globalThis.Wellspring = Object.assign(globalThis.Wellspring || {}, { connectAccount });
})();
`;
