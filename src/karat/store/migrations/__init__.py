"""How stores of earlier versions are brought to the present one. Run by :mod:`karat.store.database.revision`, without
alembic.ini."""
