"""Alembic runs this file. The connection, with its transaction open, comes from
:mod:`karat.store.database.revision`."""

from __future__ import annotations

from alembic import context

from karat.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite cannot alter a table in place
)
with context.begin_transaction():
    context.run_migrations()
