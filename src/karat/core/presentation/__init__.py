"""A case and a run in the form that pages and reports show: what the suite gives, else a plain form."""
