"""The files of this suite: BEIR folders, qrels, TREC and JSON runs."""
