"""One page about a migration: four answers, where memory goes, what is left."""
