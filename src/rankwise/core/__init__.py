"""What every layer shares: records, units, errors, registry, processes. Depends on nothing else here."""
