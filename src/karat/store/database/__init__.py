"""The databases behind a store: addresses, connections, versions, damage."""
