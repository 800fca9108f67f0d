/** The display name of a device: its kind and index. */
import type { Rows } from "./arrow";

export function deviceName(rows: Rows, row: number): string {
  const type = rows.text("device_type", row).toUpperCase() || "Device";
  return `${type} ${rows.text("device", row)}`.trim();
}
