"""Costs known for single kernels: from their own records, or from ranges around their launch."""
