"""All suites run on Dask workers, with PostgreSQL and an S3 server, while everything around them fails. At the end the
books must balance: every case scored once or reported, no stored answer lost, the stores sound."""
