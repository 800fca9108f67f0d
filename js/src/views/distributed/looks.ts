/** The look of the columns of collectives. */
import { FIRST, LOOKS } from "../../table/columnlooks";

LOOKS.distributed_ops = {
  name: { label: "Operator", width: 180 },
  worker: { width: 140 },
  calls: { width: 56 },
  total_bytes: { label: "Total", group: "Size", width: 76 },
  avg_bytes: { label: "Mean", group: "Size", width: 76 },
  total_latency_us: {
    label: "Total",
    group: "Latency",
    width: 84,
    bar: "under",
    fill: "var(--c-communication)",
  },
  avg_latency_us: { label: "Mean", group: "Latency", width: 76 },
  data_transfer_us: { label: "Total", group: "Data transfer", width: 76 },
  avg_data_transfer_us: { label: "Mean", group: "Data transfer", width: 76 },
  algo_gbps: { label: "Algorithm", group: "Bandwidth, GB/s", width: 84, decimals: 2 },
  bus_gbps: { label: "Bus", group: "Bandwidth, GB/s", width: 84, decimals: 2 },
  link_gbps: { label: "One link", group: "Bandwidth, GB/s", width: 84, decimals: 2 },
};
FIRST.distributed_ops = "name";
