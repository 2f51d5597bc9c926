"""Small databases that tell two queries apart: made rows under the real schema, searched, shrunk and shown."""
