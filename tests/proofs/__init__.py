"""Proofs: what must hold whatever happens. ``make test`` runs short forms, ``make proofs`` the whole."""
