"""A language model as a judge: it speaks only where no rule can, people check it, and only then does it count."""
