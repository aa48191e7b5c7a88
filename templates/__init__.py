"""What migrator renders: the support package (`support/`) and reports (`report/`)."""
