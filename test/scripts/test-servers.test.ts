import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { serve } from "../support/serve.ts";

test("a server of the tests survives a request that is aborted in its body", async () => {
  const failed: unknown[] = [];
  const note = (reason: unknown) => void failed.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));

  const { origin, close } = await serve(async (request, response) => {
    response.end(await text(request));
  });
  onTestFinished(close);
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf of it");
  await setTimeout(50);
  socket.destroy();
  await setTimeout(50);
  const answer = await fetch(origin, { method: "POST", body: "whole" });
  expect(await answer.text()).toBe("whole");
  expect(failed).toEqual([]);
});
