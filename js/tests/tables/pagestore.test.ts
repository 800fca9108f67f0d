import { expect, test } from "vitest";
import type { Page } from "../../src/core/protocol/protocol";
import type { Router } from "../../src/core/protocol/router";
import { BLOCK, type Block, PageStore, type Query } from "../../src/table/pagestore";
import { readRows } from "../../src/values/arrow";
import { arrow } from "../fixtures";

const TOTAL = 2 * BLOCK + 30;

/** Rows from an offset, with their numbers as names. */
function bytesOf(offset: number, count: number): ArrayBuffer {
  const names = Array.from({ length: count }, (_, at) => String(offset + at));
  return arrow({ name: ["text", names] });
}

/** A store, and what it requests of Python, which sends at most so many rows at once. */
function storeOf(most: number) {
  const asked: [offset: number, limit: number][] = [];
  const request = async (_: string, { offset, limit }: { offset: number; limit: number }) => {
    asked.push([offset, limit]);
    const count = Math.min(most, limit, TOTAL - offset);
    return { result: { total: TOTAL }, buffers: [new Uint8Array(bytesOf(offset, count))] };
  };
  const page = { total: TOTAL } as Page;
  const first: Block = { page, rows: readRows(new Uint8Array(bytesOf(0, Math.min(most, BLOCK)))) };
  const store = new PageStore({} as Query, first);
  const see = async (from: number, to: number) => {
    for (let offset = store.missing(from, to); offset !== null; offset = store.missing(from, to))
      await store.bring({ request } as unknown as Router, offset, { slot: "" });
  };
  const nameAt = (row: number) => {
    const found = store.locate(row);
    return found?.block.rows.text("name", found.at);
  };
  return { store, asked, see, nameAt };
}

test("a block is requested once it is seen, and only once", async () => {
  const { store, asked, see, nameAt } = storeOf(BLOCK);
  await see(0, 20);
  expect(asked).toEqual([]);
  await see(BLOCK - 5, BLOCK + 15);
  await see(BLOCK + 15, BLOCK + 30);
  expect(asked).toEqual([[BLOCK, BLOCK]]);
  await see(TOTAL - 10, TOTAL + 10);
  expect(nameAt(TOTAL - 1)).toBe(String(TOTAL - 1));
  expect(store.locate(TOTAL)).toBeNull();
});

test("rows of which few fit into a message come in parts", async () => {
  const { asked, see, nameAt } = storeOf(15);
  await see(0, 40);
  expect(asked.map(([offset]) => offset)).toEqual([15, 30]);
  for (const row of [0, 14, 15, 29, 39]) expect(nameAt(row)).toBe(String(row));
  await see(BLOCK + 40, BLOCK + 60); // whose beginning was never seen
  expect(nameAt(BLOCK + 59)).toBe(String(BLOCK + 59));
  expect(nameAt(BLOCK - 1)).toBeUndefined();
});

test("while a part is on its way, no other of its block is requested", async () => {
  const { store } = storeOf(15);
  const never = { request: () => new Promise(() => {}) } as unknown as Router;
  void store.bring(never, store.missing(0, 40) as number, { slot: "" });
  expect(store.missing(0, 40)).toBeNull();
});

test("rows that are no longer there are not requested forever", async () => {
  const { store, see } = storeOf(0);
  await see(0, 20);
  expect(store.locate(0)).toBeNull();
});
