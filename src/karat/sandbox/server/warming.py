"""Doing once, in the server, what most snippets do: what is imported and cached here need not be again in every child."""

from __future__ import annotations

import gc
import io
import sys

import pandas

from . import snippet

TABLE = "number,text,day\n1,x,2020-01-01\n2,y,2020-01-02\n"
USUAL = (
    "result = df.number.mean()",
    "result = df[df['number'] > 1].shape[0]",
    "result = df.query('number > 1').describe()",
    "result = df.merge(df, on='text').sort_values('number_x', ascending=False).head(1)",
    "result = df.groupby('text')['number'].sum()",
    "result = df.groupby(['text', 'day'])['number'].agg(['mean', 'max']).reset_index()",
    "result = df.groupby('text').apply(len)",
    "result = df.pivot_table(index='text', columns='day', values='number', aggfunc='sum')",
    "result = df.text.value_counts().to_dict()",
    "df['twice'] = df['number'] * 2\nresult = df.nlargest(1, 'twice')[['text', 'twice']]",
    "result = df.day.dt.year.isin([2020]).sum()",
    "result = df.text.str.upper().tolist()",
    "import io\nresult = pd.read_csv(io.StringIO(df.to_csv()))",
    "result = repr(df)",
)
"""Each through the same door as a snippet, its answer turned into plain data too."""


def warm_up() -> None:
    """Run the usual, then set all that is there now apart from the garbage collector, so that no child touches it."""
    frame = pandas.read_csv(io.StringIO(TABLE), parse_dates=["day"])
    own = sys.modules["__main__"]
    for code in USUAL:
        snippet.run(code, {"table": frame.copy()}, 1_000)
    sys.modules["__main__"] = own
    gc.collect()
    gc.freeze()
