import { describe, expect, test } from "vitest";
import { CATEGORIES } from "../../../src/canvas/categories";
import { Labels, shortName } from "../../../src/drawing/labels";
import { CHARACTER } from "./fake";

const code = (name: (typeof CATEGORIES)[number]) => CATEGORIES.indexOf(name);

describe("short names", () => {
  test("drop what says little", () => {
    const names: [string, (typeof CATEGORIES)[number], string][] = [
      ["aten::conv2d", "operator", "conv2d"],
      [
        "autograd::engine::evaluate_function: AddBackward0",
        "operator",
        "evaluate_function: AddBackward0",
      ],
      ["enumerate(DataLoader)#_Iter.__next__", "dataloader", "DataLoader _Iter.__next__"],
      [
        "void at::native::(anonymous namespace)::relu<at::Tensor>(int, T)",
        "kernel",
        "relu<at::Tensor>",
      ],
      ["Memcpy HtoD (Pageable -> Device)", "memcpy", "Memcpy HtoD (Pageable -> Device)"],
      ["torch/nn/modules/module.py(1501): _call_impl", "python", "_call_impl"],
      ["nn.Module: Linear_0", "module", "Linear_0"],
      ["std::", "operator", "std::"],
    ];
    for (const [name, category, text] of names) {
      expect(shortName(name, code(category))).toBe(text);
    }
  });
});

describe("labels", () => {
  const measured: string[] = [];
  const labels = new Labels((character) => {
    measured.push(character);
    return CHARACTER;
  });
  const cut = (name: string, room: number) => labels.fit(name, 0, room);

  test("are whole where they fit, and cut at the end where not", () => {
    expect(cut("aten::batch_norm", 60)).toBe("batch_norm");
    expect(cut("aten::batch_norm", 59)).toBe("batch_no…");
    expect(cut("aten::batch_norm", 24)).toBe("bat…");
  });

  test("need 20 px, and four characters unless the name is shorter", () => {
    expect(cut("aten::to", 20)).toBe("to");
    expect(cut("aten::to", 19.9)).toBe("");
    expect(cut("aten::batch_norm", 23.9)).toBe("");
  });

  test("never take more room than there is", () => {
    for (let room = 20; room < 300; room += 0.7) {
      for (const name of ["aten::batch_norm", "a b c d e f g h", "𝒳𝒳𝒳𝒳𝒳𝒳𝒳𝒳"]) {
        const text = cut(name, room);
        expect([...text].length * CHARACTER).toBeLessThanOrEqual(room);
        expect(text).not.toMatch(/[\uD800-\uDBFF]…/);
      }
    }
  });

  test("measure every character once", () => {
    expect(measured.length).toBe(new Set(measured).size);
  });
});
