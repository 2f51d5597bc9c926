"""Rankers: models combined into one order of the values, written as an expression.

``rrf(bm25, wordllama; k=60)``, ``wsum(bm25, minilm; w=grid(0.1); norm=minmax)``, ``rerank(bm25, NAME; depth=50)``,
``mmr(minilm; lambda=0.7)``. A plain name is the model of that name.
"""
