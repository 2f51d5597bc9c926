"""The strict verdict on two results: rows as a multiset, columns one-to-one, order and ties as question and gold have
them."""
