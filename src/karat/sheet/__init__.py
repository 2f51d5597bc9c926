"""The sheet language: tables whose fields are formulas, with the functions that evaluate retrieval."""
