"""Repositories as people published them: each one's main paths before and after its migration."""
