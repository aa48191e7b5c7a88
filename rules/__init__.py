"""Rule packs, API snapshots and recorded results: the data by which migrator rewrites code."""
