"""Commands that measure: run, score, tune, evaluate sheets."""
