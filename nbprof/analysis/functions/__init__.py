"""Tables of profiles of Python: functions, callers, and the icicle chart estimated from them."""
