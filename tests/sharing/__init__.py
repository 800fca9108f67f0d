"""Secrets planted in every format, and looked for in every form that users share."""
