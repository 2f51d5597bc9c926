"""What `karat answers` does: a submission against gold answers, or queries against gold SQL."""
