"""What verbs are given: cases and predictions as files or Python values, the project file, options, systems."""
