"""The views: their specs and registry, and how they read tables."""
