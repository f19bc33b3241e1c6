import accessToken from "../../worker-templates/access-token.worker.js";
import alone from "../../worker-templates/alone.worker.js";
import auth from "../../worker-templates/auth.worker.js";
import call from "../../worker-templates/call.worker.js";
import consoleOfCall from "../../worker-templates/console.worker.js";
import context from "../../worker-templates/context.worker.js";
import dataStore from "../../worker-templates/data-store.worker.js";
import debugLog from "../../worker-templates/debug-log.worker.js";
import definition from "../../worker-templates/definition.worker.js";
import discardMessage from "../../worker-templates/discard.worker.js";
import environment from "../../worker-templates/environment.worker.js";
import evalOfLiterals from "../../worker-templates/eval.worker.js";
import failure from "../../worker-templates/failure.worker.js";
import fetchOfCall from "../../worker-templates/fetch.worker.js";
import fileCharges from "../../worker-templates/file-charges.worker.js";
import filesOfRun from "../../worker-templates/files.worker.js";
import harness from "../../worker-templates/harness.worker.js";
import httpRequest from "../../worker-templates/http-request.worker.js";
import instance from "../../worker-templates/instance.worker.js";
import json from "../../worker-templates/json.worker.js";
import loadRandom from "../../worker-templates/load-random.worker.js";
import loadTimers from "../../worker-templates/load-timers.worker.js";
import nodeFsPromises from "../../worker-templates/node-fs-promises.worker.js";
import nodeFs from "../../worker-templates/node-fs.worker.js";
import nodeHttpErrors from "../../worker-templates/node-http-errors.worker.js";
import nodeHttpHeaders from "../../worker-templates/node-http-headers.worker.js";
import nodeHttpRequest from "../../worker-templates/node-http-request.worker.js";
import nodeHttpResponse from "../../worker-templates/node-http-response.worker.js";
import nodeHttpSocket from "../../worker-templates/node-http-socket.worker.js";
import nodeHttpTarget from "../../worker-templates/node-http-target.worker.js";
import nodeHttp from "../../worker-templates/node-http.worker.js";
import nodeHttps from "../../worker-templates/node-https.worker.js";
import nodeTimers from "../../worker-templates/node-timers.worker.js";
import packages from "../../worker-templates/packages.worker.js";
import processBinding from "../../worker-templates/process-binding.worker.js";
import propEvaluation from "../../worker-templates/prop-evaluation.worker.js";
import props from "../../worker-templates/props.worker.js";
import respond from "../../worker-templates/respond.worker.js";
import folderOfRun from "../../worker-templates/run-folder.worker.js";
import runtimeSeal from "../../worker-templates/runtime-seal.worker.js";
import runtimeTap from "../../worker-templates/runtime-tap.worker.js";
import serviceDb from "../../worker-templates/service-db.worker.js";
import sideEffects from "../../worker-templates/side-effects.worker.js";
import sloppy from "../../worker-templates/sloppy.worker.js";
import stash from "../../worker-templates/stash.worker.js";
import step from "../../worker-templates/step.worker.js";
import table from "../../worker-templates/table.worker.js";
import tlsHandle from "../../worker-templates/tls-handle.worker.js";
import uncaught from "../../worker-templates/uncaught.worker.js";

export const MAIN_MODULE = "harness.worker.js";

/** The modules around a component, by name. */
export const HARNESS = {
  "harness.worker.js": harness,
  "node-fs.worker.js": nodeFs,
  "node-fs-promises.worker.js": nodeFsPromises,
  "node-http.worker.js": nodeHttp,
  "node-https.worker.js": nodeHttps,
  "node-timers.worker.js": nodeTimers,
  "node-http-errors.worker.js": nodeHttpErrors,
  "node-http-headers.worker.js": nodeHttpHeaders,
  "node-http-request.worker.js": nodeHttpRequest,
  "node-http-response.worker.js": nodeHttpResponse,
  "node-http-socket.worker.js": nodeHttpSocket,
  "node-http-target.worker.js": nodeHttpTarget,
  "files.worker.js": filesOfRun,
  "fetch.worker.js": fetchOfCall,
  "access-token.worker.js": accessToken,
  "discard.worker.js": discardMessage,
  "file-charges.worker.js": fileCharges,
  "run-folder.worker.js": folderOfRun,
  "alone.worker.js": alone,
  "auth.worker.js": auth,
  "call.worker.js": call,
  "data-store.worker.js": dataStore,
  "console.worker.js": consoleOfCall,
  "context.worker.js": context,
  "debug-log.worker.js": debugLog,
  "definition.worker.js": definition,
  "environment.worker.js": environment,
  "eval.worker.js": evalOfLiterals,
  "failure.worker.js": failure,
  "http-request.worker.js": httpRequest,
  "instance.worker.js": instance,
  "json.worker.js": json,
  "load-random.worker.js": loadRandom,
  "load-timers.worker.js": loadTimers,
  "packages.worker.js": packages,
  "props.worker.js": props,
  "process-binding.worker.js": processBinding,
  "prop-evaluation.worker.js": propEvaluation,
  "respond.worker.js": respond,
  "runtime-seal.worker.js": runtimeSeal,
  "runtime-tap.worker.js": runtimeTap,
  "service-db.worker.js": serviceDb,
  "side-effects.worker.js": sideEffects,
  "sloppy.worker.js": sloppy,
  "stash.worker.js": stash,
  "step.worker.js": step,
  "table.worker.js": table,
  "tls-handle.worker.js": tlsHandle,
  "uncaught.worker.js": uncaught,
};
