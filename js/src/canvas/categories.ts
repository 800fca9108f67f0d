/** Singular and plural labels of the categories of slices and frames. */

import { CATEGORIES, type Category } from "../core/protocol/messages";

export { CATEGORIES, type Category };

interface CategoryWords {
  one: string;
  /** The plural, where it is not the singular with an "s". */
  many?: string;
}

export const CATEGORY_WORDS: Record<Category, CategoryWords> = {
  operator: { one: "operator" },
  runtime: { one: "runtime call" },
  annotation: { one: "annotation" },
  step: { one: "step" },
  dataloader: { one: "DataLoader", many: "DataLoader ranges" },
  python: { one: "Python function" },
  module: { one: "module" },
  kernel: { one: "kernel" },
  memcpy: { one: "memory copy", many: "memory copies" },
  memset: { one: "memory set" },
  communication: { one: "communication", many: "communication kernels" },
  sync: { one: "synchronization" },
  device_annotation: { one: "device annotation" },
  phase: { one: "phase of an operator", many: "phases of operators" },
  task: { one: "task" },
  computing: { one: "computation time", many: "computing" },
  communicating: { one: "communication time", many: "communication" },
  free: { one: "free time", many: "free" },
  library: { one: "library call" },
  overhead: { one: "profiler call" },
};
