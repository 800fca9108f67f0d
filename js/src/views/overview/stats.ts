/** The key figures at the top of the overview. */

import { categoryColor } from "../../chart/categorycolor";
import type { Context } from "../../core/context";
import type { ManySteps } from "../../core/protocol/protocol";
import type { Rows } from "../../values/arrow";
import {
  chooseTimeUnit,
  formatNumber,
  formatPercent,
  formatTime,
  type UnitChoice,
} from "../../values/format";
import { unmarked } from "./summary";

interface Stat {
  label: string;
  value: string;
  unit: string;
  /** The value of a meter, 0 to 100. */
  meter?: number | null;
  fill?: string;
  below: string;
  tip?: string | undefined;
}

interface Tables {
  overview: Rows;
  steps: Rows;
  device_summary: Rows;
}

/** What is said of all steps. */
export type StepFacts = Omit<ManySteps, "shown">;

/** Return what is said of the steps of a table that has all of them. */
export function stepFacts(steps: Rows): StepFacts {
  const totals: number[] = [];
  for (let row = 0; row < steps.length; row += 1) {
    const total = steps.number("total_us", row);
    if (steps.get("complete", row) === true && total !== null) totals.push(total);
  }
  const range_us: [number, number] = [Math.min(...totals), Math.max(...totals)];
  return { count: steps.length, complete: totals.length, range_us };
}

/** The number of the slowest complete step. */
function slowest(steps: Rows): number | null {
  let [found, most] = [null as number | null, 0];
  for (let row = 0; row < steps.length; row += 1) {
    const total = steps.number("total_us", row) ?? 0;
    if (steps.get("complete", row) !== true || total <= most) continue;
    [found, most] = [steps.number("step", row), total];
  }
  return found;
}

/** Fields of a filter that choose rows and say nothing about whole devices. */
const OF_ROWS = {
  name: "name",
  within: "within",
  kinds: "kind",
  threads: "thread",
  streams: "stream",
};

/** What is said beside figures of whole devices, as `Filter.beside_devices`. */
export function besideDevices(filter: object | null | undefined): string {
  const words = Object.entries(OF_ROWS).flatMap(([name, word]) =>
    name in (filter ?? {}) ? [word] : [],
  );
  const last = words.pop();
  if (!last) return "";
  const [listed, verb] = words.length
    ? [`${words.join(", ")} and ${last} filters`, "do"]
    : [`${last} filter`, "does"];
  return `of all work; the ${listed} ${verb} not apply here`;
}

export function statStrip(
  { h, session }: Context,
  tables: Tables,
  steps: StepFacts,
  recorded: boolean,
  other: string,
): HTMLElement {
  const choice = session.get("time_unit") ?? "auto";
  const ofDevices = deviceStats(tables, recorded);
  const beside = ofDevices ? besideDevices(session.get("filter")) : "";
  const stats = [
    stepStat(tables, steps, choice, recorded ? null : unmarked(session)),
    ...(ofDevices ?? hostStats(tables, choice, other)),
  ];
  const strip = h(
    "div",
    { class: "nbp-stats nbp-figures" },
    stats.map((stat) =>
      h(
        "div",
        { class: "nbp-stat", "data-tip": stat.tip },
        h("span", { class: "nbp-label" }, stat.label),
        h("b", {}, stat.value, h("u", {}, stat.unit)),
        stat.meter === undefined || stat.meter === null
          ? h("div", { class: "nbp-meter", "data-none": true })
          : h(
              "div",
              { class: "nbp-meter", style: `--fill:${stat.fill ?? "var(--c-kernel)"}` },
              h("i", { style: `width:${Math.min(100, Math.max(0, stat.meter))}%` }),
            ),
        h("span", { class: "nbp-label" }, stat.below),
      ),
    ),
  );
  const note = beside && h("p", { class: "nbp-beside nbp-muted" }, `Devices: ${beside}`);
  return h("div", {}, strip, note);
}

/** The time of a step; `whole` names what counts as one where none is recorded. */
function stepStat(
  { overview, steps }: Tables,
  { count, complete, range_us }: StepFacts,
  choice: UnitChoice,
  whole: string | null,
): Stat {
  const mean = overview.number("avg_us", 0);
  const unit = chooseTimeUnit([mean], choice);
  const [low, high] = range_us;
  const step = slowest(steps);
  const named = step === null ? "" : ` (step ${step})`; // steps may take no time
  const below =
    complete > 1
      ? `${formatTime(low, unit)} to ${formatTime(high, unit)}${named} over ${formatNumber(complete)} steps`
      : complete === 1
        ? whole
          ? "no steps marked"
          : "one complete step"
        : "no complete step";
  return {
    label: whole ?? (count === 1 ? "Step time" : "Average step time"),
    value: formatTime(mean, unit),
    unit: mean === null ? "" : unit.label,
    below,
  };
}

/** How busy the devices were; figures that the trace lacks have no card. */
function deviceStats({ device_summary: devices }: Tables, recorded: boolean): Stat[] | null {
  const row = Array.from({ length: devices.length }, (_, at) => at).find(
    (at) => devices.get("device", at) !== null && devices.get("utilization_pct", at) !== null,
  );
  if (row === undefined) return null;
  const type = devices.text("device_type", row).toUpperCase() || "Device";
  const many = devices.length > 1 ? ` ${devices.text("device", row)}` : "";
  const stat = (label: string, column: string, below: string): Stat[] => {
    const value = devices.number(column, row);
    const tip = devices.column(column)?.meaning;
    const unknown = devices.number(column.replace("_pct", "_unknown_pct"), row) ?? 0;
    const doubt = unknown >= 0.05 ? `, unknown ${formatPercent(unknown)} %` : "";
    if (value === null && !doubt) return [];
    const unit = value === null ? "" : "%";
    return [{ label, value: formatPercent(value), unit, meter: value, below: below + doubt, tip }];
  };
  const over = recorded ? "of step time" : "of the recording";
  const called = devices.column("utilization_pct")?.term || "utilization";
  const use = stat(`${type}${many} ${called}`, "utilization_pct", over);
  if (devices.column("ai_core_pct"))
    return [
      ...use,
      ...stat(`${type}${many} idle`, "idle_pct", over),
      ...stat("AI Cores", "ai_core_pct", "of the computation"),
    ];
  const units = devices.column("matrix_unit_pct")?.term;
  return [
    ...use,
    ...stat("Est. SM efficiency", "sm_efficiency_pct", over),
    ...stat("Est. achieved occupancy", "occupancy_pct", "weighted by kernel time"),
    ...(units ? stat(units, "matrix_unit_pct", "of kernel time") : []),
  ];
}

const HOST_WORDS: Record<string, string> = {
  Communication: "in collectives on the host",
  Runtime: "in runtime calls",
  DataLoader: "waiting for input data",
  "CPU Exec": "in operators and annotations",
  Other: "in no recorded event",
};
const HOST_STATS = 4;

/** The largest categories of host time, for traces without a device. */
function hostStats({ overview }: Tables, choice: UnitChoice, other: string): Stat[] {
  const parts = Array.from({ length: overview.length }, (_, row) => ({
    category: overview.text("category", row),
    share: overview.number("pct", row),
    time: overview.number("avg_us", row) ?? 0,
  })).slice(1);
  parts.sort((a, b) => b.time - a.time);
  return parts
    .filter((part) => part.time > 0)
    .slice(0, HOST_STATS)
    .map(({ category, share, time }) => {
      const unit = chooseTimeUnit([time], choice);
      return {
        label: category === "Other" ? other : category,
        value: formatPercent(share),
        unit: share === null ? "" : "%",
        meter: share,
        fill: categoryColor(category),
        below: `of the step: ${formatTime(time, unit)} ${unit.label} ${
          category === "Other" && other !== category ? "" : (HOST_WORDS[category] ?? "")
        }`.trimEnd(),
      };
    });
}
