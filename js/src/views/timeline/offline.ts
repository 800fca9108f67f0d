/** The timeline's part of the offline script; its second script answers. */
import { type Answer, NeedsPython } from "../../offline/answerer";
import type { OfflinePart, OwnQuestion } from "../../offline/offlinepart";
import { matcher, matcherOrNone } from "../../offline/tables/match";
import type { LaterScript } from "./later/index";

const tools = { matcher, matcherOrNone, refuse: (message: string) => new NeedsPython(message) };

function answer(op: "slices" | "find") {
  return async ({ saved, params, load }: OwnQuestion): Promise<Answer> => {
    const script = await load<LaterScript>("timeline.later");
    return script[op](saved, params, tools);
  };
}

export default {
  operations: { slices: answer("slices"), find: answer("find") },
} satisfies OfflinePart;
