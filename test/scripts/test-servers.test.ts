import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

import { expect, onTestFinished, test } from "vitest";

import { serve } from "../support/serve.ts";

test("a server of the tests survives a request that is aborted in its body", async () => {
  const failed: unknown[] = [];
  const note = (reason: unknown) => void failed.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));

  const began = Promise.withResolvers<IncomingMessage>();
  const { origin, close } = await serve(async (request, response) => {
    began.resolve(request);
    response.end(await text(request));
  });
  onTestFinished(close);
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf of it");
  const request = await began.promise;
  socket.destroy();
  await new Promise((resolve) => request.once("close", resolve));
  const answer = await fetch(origin, { method: "POST", body: "whole" });
  expect(await answer.text()).toBe("whole");
  expect(failed).toEqual([]);
});
