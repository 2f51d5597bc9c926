"""Two queries part by part: tables, joins, filters, grouping and the rest. It explains, and never decides."""
