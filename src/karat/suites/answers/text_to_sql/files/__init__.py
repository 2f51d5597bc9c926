"""Files of questions and of predicted SQL."""
