"""Files elsewhere: object stores and web servers, by URL. A remote file becomes a local, read-only copy at the edge;
everything after reads that."""
