/** The key figures at the top of the overview. */

import { categoryColor } from "../../chart/categorycolor";
import type { Context } from "../../core/context";
import type { Rows } from "../../values/arrow";
import {
  chooseTimeUnit,
  formatNumber,
  formatPercent,
  formatTime,
  type UnitChoice,
} from "../../values/format";
import { WHOLE } from "./summary";

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

export function statStrip({ h, session }: Context, tables: Tables, recorded: boolean): HTMLElement {
  const choice = session.get("time_unit") ?? "auto";
  const stats = [
    stepStat(tables, choice, recorded),
    ...(deviceStats(tables, recorded) ?? hostStats(tables, choice)),
  ];
  return h(
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
}

function stepStat({ overview, steps }: Tables, choice: UnitChoice, recorded: boolean): Stat {
  const mean = overview.number("avg_us", 0);
  const totals = Array.from({ length: steps.length }, (_, row) => row)
    .filter((row) => steps.get("complete", row) !== false)
    .flatMap((row) => steps.number("total_us", row) ?? []);
  const unit = chooseTimeUnit([mean], choice);
  const [low, high] = [Math.min(...totals), Math.max(...totals)];
  const below =
    totals.length > 1
      ? `${formatTime(low, unit)} to ${formatTime(high, unit)} over ${formatNumber(totals.length)} steps`
      : totals.length === 1
        ? recorded
          ? "one complete step"
          : "no steps marked"
        : "no complete step";
  return {
    label: !recorded ? WHOLE : steps.length === 1 ? "Step time" : "Average step time",
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
    return value === null
      ? []
      : [{ label, value: formatPercent(value), unit: "%", meter: value, below, tip }];
  };
  const over = recorded ? "of the time of the steps" : "of the recording";
  const use = stat(`${type}${many} utilization`, "utilization_pct", over);
  if (devices.column("ai_core_pct"))
    return [
      ...use,
      ...stat(`${type}${many} idle`, "idle_pct", over),
      ...stat("AI Cores", "ai_core_pct", "of the computation"),
    ];
  const units = devices.column("matrix_unit_pct")?.term;
  const unknown = devices.number("matrix_unit_unknown_pct", row) ?? 0;
  const doubt = unknown >= 0.05 ? `, unknown ${formatPercent(unknown)} %` : "";
  return [
    ...use,
    ...stat("Est. SM efficiency", "sm_efficiency_pct", over),
    ...stat("Est. achieved occupancy", "occupancy_pct", "weighted by kernel time"),
    ...(units ? stat(units, "matrix_unit_pct", `of the kernel time${doubt}`) : []),
  ];
}

const HOST_WORDS: Record<string, string> = {
  Communication: "in collectives on the host",
  Runtime: "in runtime calls",
  DataLoader: "waiting for input data",
  "CPU Exec": "in operators and annotations",
  Other: "outside all recorded events",
};
const HOST_STATS = 4;

/** The largest categories of host time, for traces without a device. */
function hostStats({ overview }: Tables, choice: UnitChoice): Stat[] {
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
        label: category,
        value: formatPercent(share),
        unit: share === null ? "" : "%",
        meter: share,
        fill: categoryColor(category),
        below: `of the step: ${formatTime(time, unit)} ${unit.label} ${HOST_WORDS[category] ?? ""}`,
      };
    });
}
