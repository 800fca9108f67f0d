"""The functions view: functions of a profile of Python, their callers, and an icicle chart."""
