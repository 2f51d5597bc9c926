"""``karat store``: check a store, repair a damaged one, move one to another database."""

from karat.verbs.store.upkeep import check_store, move_store, repair_store

__all__ = ["check_store", "move_store", "repair_store"]
