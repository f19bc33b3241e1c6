/** The types of the bindings, and the documents, the client and the types of the API, generated side by side. */
export const generated = await Promise.all([import("./types.ts"), import("./contract.ts")]);
