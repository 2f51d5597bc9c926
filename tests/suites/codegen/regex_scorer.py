"""The anchor: a plain scorer with regular expressions, as the contract's text describes it.

It looks for names and patterns in the text of question and code, wherever they stand: comments, strings and dead code
count, ``average`` mentions ``age``. Used in tests and benchmarks, to show what reading the code's syntax tree is worth.
"""

from __future__ import annotations

import re

from karat.suites.codegen.records import Schema

_TOP = (r"\b(top|largest|highest)\b", r"\.nlargest\(|\.head\(|ascending\s*=\s*False")
_BOTTOM = (r"\b(bottom|smallest|lowest)\b", r"\.nsmallest\(|\.tail\(|ascending\s*=\s*True|\.sort_values\(")
_FILTER = (r"\b(where|filter|greater than|less than|above|below|over|under|only)\b", r"\w\[.*\]|\.query\(|\.loc\[")
_STATISTICS = (
    (r"\b(mean|average)\b", r"\.mean\(|['\"]mean['\"]"),
    (r"\b(sum|total)\b", r"\.sum\(|['\"]sum['\"]"),
    (r"\b(max|maximum|highest|largest)\b", r"\.max\(|\.nlargest\("),
    (r"\b(min|minimum|lowest|smallest)\b", r"\.min\(|\.nsmallest\("),
    (r"\b(count|number of|how many)\b", r"\.count\(|\.size\(|len\("),
    (r"\b(group by|by|per|for each)\b", r"\.groupby\(|\.pivot_table\("),
)


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _share(pairs: tuple[tuple[str, str], ...], question: str, code: str) -> float:
    asked = [(words, calls) for words, calls in pairs if _has(words, question)]
    return sum(_has(calls, code) for _, calls in asked) / len(asked) if asked else 1.0


def regex_understanding(question: str, code: str, schema: Schema) -> float:
    mentioned = {column for column in schema.columns if column.replace("_", " ") in question.lower().replace("_", " ")}
    used = {
        column
        for column in schema.columns
        if re.search(rf"['\"]{re.escape(column)}['\"]|\.{re.escape(column)}\b", code)
    }
    columns = len(mentioned & used) / len(mentioned) if mentioned else 1.0
    return (
        0.4 * columns
        + 0.3 * _share((_TOP, _BOTTOM, _FILTER), question, code)
        + 0.3 * _share(_STATISTICS, question, code)
    )


def regex_coverage(question: str, code: str, schema: Schema) -> float:
    asked = len(
        re.findall(r"\b(and|or|where|filter|greater than|less than|above|below|over|under)\b", question.lower())
    )
    found = len(re.findall(r"==|!=|>=|<=|[<>](?!=)|\.query\(|\.isin\(|\.loc\[", code))
    filters = min(found / asked, 1.0) if asked else 1.0
    listed = re.search(r"\b(?:group by|by|per|for each)\b(.*)", question.lower())
    keys = {column for column in schema.columns if listed and column.replace("_", " ") in listed[1]}
    call = re.search(r"\.groupby\((.*?)\)", code, re.DOTALL)
    groups = sum(key in call[1] for key in keys) / len(keys) if keys and call else float(not keys)
    sorting = _has(r"\b(sort|order|ascending|descending|top|bottom|largest|smallest)", question)
    sorted_ = _has(r"\.sort_values\(|\.sort_index\(|\.nlargest\(|\.nsmallest\(", code)
    joining = _has(r"\b(join|merge|combine|match)", question)
    joined = _has(r"\.merge\(|\.join\(|\.concat\(", code)
    return 0.3 * filters + 0.3 * groups + 0.2 * float(sorted_ or not sorting) + 0.2 * float(joined or not joining)
