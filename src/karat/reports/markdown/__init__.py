"""Reports as Markdown, for pull requests and job summaries."""
