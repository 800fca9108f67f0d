import { describe, expect, test } from "vitest";
import { shortName } from "../src/offline/charts/colors";
import { chips, timeText } from "../src/shell/filter/filtertext";
import {
  displayName,
  exactNames,
  exactPattern,
  fnv1a,
  labels,
  middleCut,
  parseStack,
  shortNames,
} from "../src/values/names";

test("a kernel's name goes without return type and arguments", () => {
  expect(displayName("void at::k<4, F<int(float)> >(int, F<int(float)>)")).toBe(
    "at::k<4, F<int(float)> >",
  );
  expect(displayName("Memcpy HtoD (Pageable -> Device)")).toBe("Memcpy HtoD (Pageable -> Device)");
  expect(displayName("volta_sgemm_64x64_nt")).toBe("volta_sgemm_64x64_nt");
});

test("a cut leaves both ends and fits", () => {
  const long = "cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>";
  const cut = middleCut(long, (text) => text.length <= 30);
  expect(cut).toHaveLength(30);
  expect(cut.startsWith("cudnn::cnn::")).toBe(true);
  expect(cut.endsWith("5, false, 512>".slice(-10))).toBe(true);
  expect(middleCut("short", (text) => text.length <= 30)).toBe("short");
});

describe("exact name filters", () => {
  const awkward = [
    "aten::add_",
    "void k<(int)2, F<a|b> >(float*, int)",
    "a.b/c[d]{2}\\e^$?+",
    "x y-z#&~",
  ];

  test.each(awkward)("%s matches itself alone and is read back", (name) => {
    const pattern = exactPattern([name]);
    const expression = new RegExp(pattern.slice(1, -1));
    expect(expression.test(name)).toBe(true);
    expect(expression.test(`${name}!`)).toBe(false);
    expect(exactNames(pattern)).toEqual([name]);
  });

  test("several names are one pattern", () => {
    const pattern = exactPattern(awkward);
    const expression = new RegExp(pattern.slice(1, -1));
    for (const name of awkward) expect(expression.test(name)).toBe(true);
    expect(exactNames(pattern)).toEqual(awkward);
  });

  test("a pattern written by hand is none", () => {
    expect(exactNames("/^conv.*$/")).toBeNull();
    expect(exactNames("conv")).toBeNull();
  });
});

test("frames of libraries are told from the user's", () => {
  const stack =
    "torch/nn/modules/conv.py(440): forward;/opt/env/lib/python3.11/site-packages/x/y.py(2): f;" +
    "/data/torch_play/train.py(43): <module>;<built-in method run>;threading.py(9): run";
  expect(parseStack(stack).map((frame) => frame.user)).toEqual([false, false, true, false, false]);
  expect(parseStack("")).toEqual([]);
});

test("chips say the filter in words", () => {
  const filter = {
    name: exactPattern(["aten::add_"]),
    steps: [7, 9] as [number, number],
    time_us: [1500, 20_000] as [number, number],
    devices: [1],
    streams: [7, 9],
  };
  const info = { threads: [], devices: [{ device: 1, label: "GPU 1" }] };
  expect(chips(filter, info as never).map((chip) => chip.text)).toEqual([
    "name is aten::add_",
    "steps 7 to 9",
    "time 1.5 to 20 ms",
    "GPU 1",
    "stream 7, 9",
  ]);
  expect(chips({ name: "conv", steps: [3, 3] }, null).map((chip) => chip.text)).toEqual([
    "name contains “conv”",
    "step 3",
  ]);
  expect(chips({ name: "/^conv/" }, null)[0]?.text).toBe("name matches /^conv/");
  const within = (text: string) => chips({ within: text }, null)[0]?.text;
  expect(within("=aten::mm")).toBe("within “aten::mm”");
  expect(within("==")).toBe("within “=”");
  expect(within("=two\nlines")).toBe("within “two\nlines”");
  expect(within("mm")).toBe("within names that match “mm”");
  expect(within("=")).toBe("within names that match “=”");
  expect(timeText(1_000_000)).toBe("1,000");
});

describe("names of a column", () => {
  const fits = (text: string) => text.length <= 30;

  test("keep both ends, and are cut once", () => {
    const [shown = ""] = shortNames(
      ["cutlass::device_kernel<bf16, 128, 256, sm90_tile_end>"],
      fits,
    );
    expect(shown.length).toBe(30);
    expect(shown).toMatch(/^cutlass::device_.*…/);
    expect(shown).toMatch(/90_tile_end>$/);
    expect(shown.match(/…/g)).toHaveLength(1);
  });

  test("show where they differ, if both ends are the same", () => {
    const name = (middle: string) =>
      `void fill_kernel_of_every_tile<${middle}, 1, 1, 1, 1, 1, 1, 1>`;
    const names = [name("float, 7168"), name("float, 4096"), "short"];
    const shown = shortNames(names, fits);
    expect(new Set(shown).size).toBe(3);
    expect(shown[0]).toContain("7168");
    expect(shown[1]).toContain("4096");
    expect(shown.every(fits)).toBe(true);
    expect(shown[2]).toBe("short");
  });

  test("of kernels are their labels", () => {
    const names = [
      "void at::elementwise<4, Add<half> >(int)",
      "void fill(int)",
      "void fill(float)",
    ];
    for (const [at, label] of ["elementwise · add (half)", "fill (int)", "fill (float)"].entries())
      labels[fnv1a(names[at] ?? "")] = label;
    expect(shortNames(names, fits)).toEqual([
      "elementwise · add (half)",
      "fill (int)",
      "fill (float)",
    ]);
    expect(shortName(names[1] ?? "")).toBe("fill (int)");
    expect(shortName("void fill<2>(double)")).toBe("fill<2>");
  });

  test("are as they are where nothing fits", () => {
    const shown = shortNames(["a_long_name_of_a_kernel", "a_long_name_of_a_module"], () => false);
    expect(shown.every((text) => text.length > 0)).toBe(true);
  });
});
