"""Methods that polars and pandas call by different names: what polars says, and the name that facts have."""

from __future__ import annotations

RENAMED: dict[str, str] = {
    "group_by": "groupby",
    "group_by_dynamic": "resample",
    "n_unique": "nunique",
    "approx_n_unique": "nunique",
    "arg_max": "idxmax",
    "arg_min": "idxmin",
    "product": "prod",
    "is_in": "isin",
    "is_between": "between",
    "is_null": "isnull",
    "is_not_null": "notnull",
    "is_nan": "isnull",
    "is_not_nan": "notnull",
    "drop_nulls": "dropna",
    "drop_nans": "dropna",
    "fill_null": "fillna",
    "fill_nan": "fillna",
    "cum_sum": "cumsum",
    "cum_max": "cummax",
    "cum_min": "cummin",
    "cum_count": "cumcount",
    "cum_prod": "cumprod",
    "pct_change": "pct_change",
    "starts_with": "startswith",
    "ends_with": "endswith",
    "to_uppercase": "upper",
    "to_lowercase": "lower",
    "cast": "astype",
    "map_elements": "apply",
    "map_batches": "apply",
    "map_rows": "apply",
    "map_groups": "apply",
    "replace_strict": "replace",
    "is_duplicated": "duplicated",
    "unpivot": "melt",
    "with_columns": "assign",
    "gt_eq": "ge",
    "lt_eq": "le",
    "eq_missing": "eq",
    "ne_missing": "ne",
    "top_k": "nlargest",
    "top_k_by": "nlargest",
    "bottom_k": "nsmallest",
    "bottom_k_by": "nsmallest",
    "limit": "head",
    "to_dicts": "to_dict",
    "iter_rows": "iterrows",
}


def plain_name(name: str) -> str:
    """The name that facts have for a method."""
    return RENAMED.get(name, name)
