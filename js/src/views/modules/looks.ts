/** The look and order of the columns of the modules. */
import { HOST, LOOKS, ORDER } from "../../table/columnlooks";

const KERNEL = "var(--c-kernel)";

Object.assign(LOOKS, {
  modules: {
    name: { label: "Module" },
    share_pct: { label: "Share of modules", width: 104, bar: "beside", fill: KERNEL },
    occurrences: { label: "Calls", width: 52 },
    operators: { width: 76 },
    device_self_us: {
      label: "Self",
      group: "Forward, device",
      width: 80,
      bar: "under",
      fill: KERNEL,
    },
    device_total_us: { label: "Total", group: "Forward, device", width: 68 },
    host_self_us: { label: "Self", group: "Forward, host", width: 80, bar: "under", fill: HOST },
    host_total_us: { label: "Total", group: "Forward, host", width: 72 },
    backward_device_us: { label: "Device", group: "Backward", width: 76 },
    backward_host_us: { label: "Host", group: "Backward", width: 98 },
  },
});

Object.assign(ORDER, {
  modules: [
    "share_pct",
    "occurrences",
    "operators",
    "device_self_us",
    "device_total_us",
    "host_self_us",
    "host_total_us",
    "backward_device_us",
    "backward_host_us",
  ],
});
