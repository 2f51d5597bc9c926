"""Choosing n and ranker for judged documents: BEIR folders, and recorded runs with relevance judgements."""
