export { type ActionContext, type ActionInput, defineAction } from "./action.ts";
export { defineApp } from "./app.ts";
export { defineSource, type EmitMeta } from "./source.ts";
export type { DataStore, Db, HttpEvent, TimerEvent } from "./values.ts";
