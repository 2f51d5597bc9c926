"""Doing once, in the server, what most snippets do: what is imported and cached here need not be again in every
child."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import sys
from collections.abc import Callable, Sequence
from functools import partial

from .. import plain_tables, snippet
from . import duckdb_threads
from .drawing_classes import Classes
from .libraries import is_there, pandas

TABLE = "number,text,day\n1,x,2020-01-01\n2,y,2020-01-02\n"
MOST_USUAL = (
    "result = df.number.mean()",
    "result = df[df['number'] > 1].shape[0]",
    "result = df.groupby('text')['number'].sum()",
    "result = df.merge(df, on='text').sort_values('number_x', ascending=False).head(1)",
    "result = df.text.value_counts().to_dict()",
)
USUAL = (
    *MOST_USUAL,
    "result = df.query('number > 1').describe()",
    "result = df.groupby(['text', 'day'])['number'].agg(['mean', 'max']).reset_index()",
    "result = df.groupby('text').apply(len)",
    "result = df.pivot_table(index='text', columns='day', values='number', aggfunc='sum')",
    "df['twice'] = df['number'] * 2\nresult = df.nlargest(1, 'twice')[['text', 'twice']]",
    "result = df.day.dt.year.isin([2020]).sum()",
    "result = df.text.str.upper().tolist()",
    "import io\nresult = pd.read_csv(io.StringIO(df.to_csv()))",
    "result = repr(df)",
)
"""Each through the same door as a snippet, its answer turned into plain data too."""
PLAIN = ("result = sum(df['number'])", "result = {text: 1 for text in df['text']}")
"""The same where there is no pandas."""


def warm_up() -> list[Callable[[], object]]:
    """Run the usual, then set all that is there now apart from the garbage collector, so that no child touches it.

    The most usual come back, to be run again.
    """
    with_pandas = is_there(pandas)
    most_usual = MOST_USUAL if with_pandas else PLAIN
    own = sys.modules["__main__"]
    for code in USUAL if with_pandas else PLAIN:
        snippet.run(code, {"table": _table()}, 1_000)
    sys.modules["__main__"] = own
    gc.collect()
    gc.freeze()
    return [partial(snippet.run, code, {"table": _table()}, 1_000) for code in most_usual]


def _table() -> object:
    try:
        return pandas.read_csv(io.StringIO(TABLE), parse_dates=["day"])
    except Exception:  # no pandas, or one that is not what it should be
        return plain_tables.from_csv(TABLE.encode())


def warm_up_libraries(names: Sequence[str]) -> None:
    """Import these, without using them: their threads would not survive a fork. One that is missing, the snippet itself
    reports."""
    for name in names:
        with contextlib.suppress(Exception):  # whatever a package does when it is imported
            module = importlib.import_module(name)
            if name == "duckdb":
                duckdb_threads.limit(module)
    gc.collect()
    gc.freeze()


def warm_up_drawing() -> None:
    """Import matplotlib, find its fonts and draw once. Where it is not installed, the snippet says so itself."""
    try:
        from matplotlib import pyplot

        figure = pandas.DataFrame({"a": [1, 2]}).plot(title="a").figure
        figure.canvas.draw()
        pyplot.close("all")
        Classes.noted.append(Classes())
    except Exception:  # a matplotlib that cannot draw here shows in the snippet too
        return
    gc.collect()
    gc.freeze()
