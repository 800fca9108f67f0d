import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Request } from "../../src/core/protocol/protocol";
import { RequestFailed, Router, Superseded } from "../../src/core/protocol/router";
import { effect } from "../../src/core/state/signals";

function setup() {
  const sent: Request[] = [];
  const model = { send: (message: unknown) => void sent.push(message as Request) };
  const router = new Router(model as never);
  const reply = (request: Request | undefined, result: object = {}) =>
    router.receive({ v: 1, id: request?.id, op: request?.op, gen: request?.gen, ok: true, result });
  return { sent, model, router, reply };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("slots", () => {
  test("one request is in flight; of those waiting only the newest is sent", async () => {
    const { sent, router, reply } = setup();
    const asks = [1, 2, 3].map((n) => router.request("page", { n }, { slot: "table" }));
    const ends = Promise.allSettled(asks);
    expect(sent.map((m) => m.params.n)).toEqual([1]);
    reply(sent[0], { n: 1 });
    expect(sent.map((m) => m.params.n)).toEqual([1, 3]);
    reply(sent[1], { n: 3 });
    const [first, second, third] = await ends;
    expect(first).toMatchObject({ status: "rejected", reason: expect.any(Superseded) });
    expect(second).toMatchObject({ status: "rejected", reason: expect.any(Superseded) });
    expect(third).toMatchObject({ status: "fulfilled", value: { result: { n: 3 } } });
  });

  test("slots do not wait for each other, and neither do requests without one", () => {
    const { sent, router } = setup();
    void router.request("page", {}, { slot: "a" });
    void router.request("page", {}, { slot: "b" });
    void router.request("hello");
    void router.request("hello");
    expect(sent).toHaveLength(4);
  });

  test("an answer that nobody wants any more frees the slot", async () => {
    const { sent, router, reply } = setup();
    const stop = new AbortController();
    const dropped = router.request("page", {}, { slot: "a", signal: stop.signal });
    stop.abort();
    await expect(dropped).rejects.toBeInstanceOf(Superseded);
    const next = router.request("page", { n: 2 }, { slot: "a" });
    expect(sent).toHaveLength(1);
    reply(sent[0]);
    reply(sent[1], { n: 2 });
    await expect(next).resolves.toMatchObject({ result: { n: 2 } });
  });
});

describe("messages out of order", () => {
  const isReply = (n: number) => ({ status: "fulfilled", value: { result: { n } } });

  test("each request gets its own reply, whichever comes first, and no second one", async () => {
    const { sent, router, reply } = setup();
    const asks = [1, 2, 3, 4].map((n) => router.request("page", { n }, { slot: `part ${n}` }));
    for (const n of [4, 2, 1, 3]) reply(sent[n - 1], { n });
    for (const n of [1, 2, 3, 4]) reply(sent[n - 1], { n: -n });
    expect(await Promise.allSettled(asks)).toMatchObject([1, 2, 3, 4].map(isReply));
    expect(router.busy).toBe(false);
  });

  test("what was overtaken is asked once more, and what comes late is dropped", async () => {
    const { sent, router, reply } = setup();
    const first = router.request("page", { n: 1 }, { slot: "a" });
    const second = router.request("page", { n: 2 }, { slot: "b" });
    reply(sent[1], { n: 2 });
    expect(sent.map((m) => m.params.n)).toEqual([1, 2, 1]);
    expect(sent[2]?.id).toBe(sent[0]?.id);
    reply(sent[2], { n: 1 });
    reply(sent[0], { n: -1 });
    expect(await Promise.allSettled([first, second])).toMatchObject([isReply(1), isReply(2)]);
    expect(sent).toHaveLength(3);
  });

  test("replies of an older generation never show, even after a newer one", async () => {
    const { sent, router, reply } = setup();
    const progress = vi.fn();
    const old = router.request("page", { n: 1 }, { slot: "a", onProgress: progress });
    const dropped = expect(old).rejects.toBeInstanceOf(Superseded);
    const asked = router.request("page", { n: 2 }, { slot: "a" });
    router.receive({ v: 1, id: sent[0]?.id, progress: { text: "", done: 1, total: 2 } });
    reply(sent[0], { n: 1 });
    reply(sent[0], { n: 1 });
    reply(sent[1], { n: 2 });
    reply(sent[0], { n: 1 });
    await dropped;
    await expect(asked).resolves.toMatchObject({ result: { n: 2 } });
    expect(progress).not.toHaveBeenCalled();
    expect(sent).toHaveLength(2);
  });

  test("a reply of a kernel that was given up brings back the connection, not its data", async () => {
    const { sent, router, reply } = setup();
    const lost = expect(router.request("page", {}, { slot: "a" })).rejects.toMatchObject({
      name: "Disconnected",
    });
    router.disconnect();
    await lost;
    const asked = router.request("page", { n: 2 }, { slot: "a" });
    reply(sent[0], { n: 1 });
    expect(router.connected).toBe(true);
    reply(sent[1], { n: 2 });
    await expect(asked).resolves.toMatchObject({ result: { n: 2 } });
  });
});

test("errors of Python arrive with their words", async () => {
  const { sent, router } = setup();
  const asked = router.request("page");
  const error = { type: "FilterError", message: "name: bad", hint: "Correct it.", details: "" };
  router.receive({ v: 1, id: sent[0]?.id, ok: false, error });
  await expect(asked).rejects.toMatchObject({ name: "FilterError", wire: error });
});

test("buffers are read as views into whatever holds them", async () => {
  const { sent, router } = setup();
  const asked = router.request("page");
  const shared = new Uint8Array([9, 1, 2, 3, 9]).buffer;
  router.receive({ v: 1, id: sent[0]?.id, ok: true, result: {} }, [new DataView(shared, 1, 3)]);
  expect([...((await asked).buffers[0] ?? [])]).toEqual([1, 2, 3]);
});

describe("time-outs", () => {
  test("silence ends a request and the connection; progress is no silence", async () => {
    const { sent, router } = setup();
    const seen: boolean[] = [];
    effect(() => void seen.push(router.connected));
    const progress = vi.fn();
    const asked = router.request("trace", {}, { onProgress: progress });
    const ended = expect(asked).rejects.toMatchObject({ name: "TimeoutError" });
    vi.advanceTimersByTime(100_000);
    router.receive({
      v: 1,
      id: sent[0]?.id,
      progress: { text: "12 of 80 MB", done: 12, total: 80 },
    });
    vi.advanceTimersByTime(100_000);
    expect(progress).toHaveBeenCalledWith({ text: "12 of 80 MB", done: 12, total: 80 });
    expect(router.connected).toBe(true);
    vi.advanceTimersByTime(20_001);
    await ended;
    expect(router.connected).toBe(false);
    router.receive({ v: 1, id: null, error: undefined });
    expect(seen).toEqual([true, false, true]);
  });
});

test("a comm that is closed ends everything that waits", async () => {
  const { model, router } = setup();
  const first = router.request("page", {}, { slot: "a" });
  const ended = expect(first).rejects.toBeInstanceOf(RequestFailed);
  model.send = () => {
    throw new Error("Cannot send");
  };
  const second = router.request("hello");
  await expect(second).rejects.toMatchObject({ name: "Disconnected" });
  await ended;
  expect(router.connected).toBe(false);
});

test("messages of another protocol and of nobody's request are left alone", () => {
  const { router } = setup();
  const notice = vi.fn();
  router.onNotice = notice;
  router.receive({ v: 99, id: 1, ok: true });
  router.receive(null);
  router.receive({ v: 1, id: 77, ok: true, result: {} });
  expect(notice).not.toHaveBeenCalled();
  const error = { type: "TraitError", message: "span", hint: "", details: "" };
  router.receive({ v: 1, id: null, ok: false, error });
  expect(notice).toHaveBeenCalledWith(error);
});
