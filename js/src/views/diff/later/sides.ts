/** `Sides`: both sides of a comparison under another filter of steps and names. */
import { Comparison } from "./comparison";
import type { Facts, Steps } from "./facts";
import { withBorders } from "./idle";
import { LEAST_STEPS } from "./statistics";
import { type Range, type Used, usedSteps, WHOLE } from "./usedsteps";

/** What the functions of the script `offline` do, which this script does not contain. */
export interface Tools {
  matcher(text: string): (name: string | null) => boolean;
  /** An error that says what takes Python. */
  refuse(message: string): Error;
}

/** A filter of steps and names, applied to both sides. */
export class Sides {
  /** The range of each side; null for all steps. */
  readonly ranges: (Range | null)[];
  readonly used: Used[][];

  /** @throws - a recording without steps has no other steps */
  constructor(
    readonly steps: Steps,
    private readonly filter: { steps: Range | null; name: string },
    private readonly tools: Tools,
  ) {
    this.ranges = steps.sides.map(({ own }) => (own.includes("steps") ? null : filter.steps));
    if (!steps.per_step && this.ranges.some((range) => range !== null))
      throw tools.refuse("Recordings without steps cannot be filtered by step without Python.");
    this.used = steps.sides.map(({ workers }, at) =>
      steps.per_step ? usedSteps(workers, this.ranges[at] ?? null) : workers.map(() => WHOLE),
    );
  }

  get complete(): [number, number] {
    const [baseline, candidate] = this.used.map((of) => Math.min(...of.map((one) => one.complete)));
    return [baseline ?? 0, candidate ?? 0];
  }

  /** Whether a filter of names changes a side. */
  get isNamed(): boolean {
    return this.filter.name !== "" && this.steps.sides.some(({ own }) => !own.includes("name"));
  }

  /**
   * Compare the rows of a table.
   *
   * @param subject - the table at the start of a sentence
   * @throws - it takes the traces
   */
  compare(facts: Facts, subject: string): Comparison {
    const { named } = facts.about;
    if (this.isNamed && named === null)
      throw this.tools.refuse(`${subject} cannot be filtered by name without Python.`);
    return new Comparison(
      withBorders(facts, this.used),
      this.used,
      this.steps.sides.map((_, side) => this.filterOf(facts, side)),
    );
  }

  /** Whether the filter of names keeps a row of a side. */
  filterOf({ about, keys }: Facts, side: number): (key: number) => boolean {
    if (!this.filter.name || this.steps.sides[side]?.own.includes("name")) return () => true;
    const matches = this.tools.matcher(this.filter.name);
    const names = keys[about.named ?? 0] ?? [];
    return (key) => matches((names[key] as string | null | undefined) ?? null);
  }

  /** Why percentages and estimates of the noise are empty. */
  get noiseNote(): string {
    if (!this.steps.per_step)
      return "Whole recordings are compared: there are no steps to estimate the noise from.";
    if (Math.min(...this.complete) >= LEAST_STEPS) return "There is no estimate for this row.";
    return `It takes three complete steps on each side; there are ${this.complete.join(" and ")}.`;
  }
}
