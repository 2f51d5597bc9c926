"""What each reason of the suite means, what usually causes it, and an example; for ``karat explain``."""

from __future__ import annotations

from karat.core.metrics.worked_examples import ReasonNote

_RESULT = {
    "values_differ": ReasonNote(
        "The result has the right shape, but cells differ, and no single cause explains all of them.",
        "Another filter, another formula or another column was used.",
        "Expected 37.0, got 43.5: the code also adds up cancelled orders.",
    ),
    "row_count": ReasonNote(
        "The result has more or fewer rows than expected.",
        "A filter or a join differs, or rows without a partner were kept or dropped.",
        "Expected 5 customers, got 7: two of them have no order.",
    ),
    "missing_column": ReasonNote(
        "No column of the result has the cells of an expected column.",
        "The code leaves a column out, or computes it from another one.",
        "Expected country and revenue, got only revenue.",
    ),
    "rows_scrambled": ReasonNote(
        "Every column has the right values, but they are not in the same rows.",
        "Columns were sorted separately, or put together without their index.",
        "Expected (A, 1), (B, 2); got (A, 2), (B, 1).",
    ),
    "order_differs": ReasonNote(
        "The rows are right, but their order counts and is wrong.",
        "The code does not sort, or sorts in the other direction.",
        "The question asks for the largest first; the result begins with the smallest.",
    ),
    "duplicates": ReasonNote(
        "The rows are the expected ones, but not as often as expected.",
        "drop_duplicates is missing or was not asked for, or a merge repeats rows.",
        "Expected three products once each; one of them is there twice.",
    ),
    "shape_differs": ReasonNote(
        "The values are there in another shape than expected.",
        "The table was pivoted, or a table was given where one value was expected.",
        "Expected one row for each month, got one column for each month.",
    ),
    "labels_swapped": ReasonNote(
        "The rows agree only if a header is read as the name of another column.",
        "Two columns were renamed in the wrong order.",
        "The column min has the largest values, and max the smallest.",
    ),
    "names_differ": ReasonNote(
        "All cells are right, but the task is to give names, and the result does not have them.",
        "The code returns a table as it was, without renaming its columns.",
        "The question asks to call the column p price; the result calls it p.",
    ),
    "extra_columns": ReasonNote(
        "The result has columns that were not asked for.",
        "The code returns the whole table instead of the columns in question.",
        "Expected the name; got name, price and stock.",
    ),
    "ties_all": ReasonNote(
        "The result has all rows that are tied at the cut of a ranking; only some of them are expected.",
        "nlargest(keep='all'), or a rank was compared instead of taking N rows.",
        "Three products share place 3, and the result for the top 3 has 5 rows.",
    ),
    "scale_100": ReasonNote(
        "Every cell that differs is off by a factor of 100.",
        "The result is a share instead of a percentage, or the reverse.",
        "Expected 0.12, got 12.",
    ),
    "rounding": ReasonNote(
        "Every cell that differs is only rounded too far.",
        "The code rounds a value, and too few digits are left.",
        "Expected 0.4951, got 0.5.",
    ),
    "null_vs_zero": ReasonNote(
        "Every cell that differs is 0 where a null is expected, or a null where 0 is expected.",
        "fillna(0) is missing or was not asked for, or a left merge was not completed.",
        "A customer without orders has NaN orders, and 0 was expected.",
    ),
    "case_or_space": ReasonNote(
        "Every cell that differs is the same text in other capitals or with other spaces.",
        "The code changes texts with str.lower or str.strip, or does not.",
        "Expected North, got north.",
    ),
    "date_format": ReasonNote(
        "Every cell that differs is the same date in another form.",
        "The code turns dates into texts.",
        "Expected 2026-05-01, got 01/05/2026.",
    ),
    "figures_differ": ReasonNote(
        "The expected result is several named figures, and some of them differ.",
        "One of the figures was computed by another rule than the task states.",
        "mean is 12.5 as expected; std is 3.1, and 2.9 was expected.",
    ),
    "unit_differs": ReasonNote(
        "The result has the wrong unit: the number is right, or the unit cannot be converted into the expected one.",
        "The code attaches the wrong unit.",
        "Expected 2.5 kg, got 2.5 g or 2.5 m.",
    ),
    "no_table": ReasonNote(
        "The result cannot be compared with the expected one.",
        "The code leaves None, or a table that is far too wide.",
        "result = orders.sort_values('price', inplace=True) is None.",
    ),
}
_EVERYWHERE = {
    "only_fits_this_data": ReasonNote(
        "The result is right on the task's tables and wrong on changed copies of them.",
        "The code leaves out a filter that makes no difference here, or contains a value copied from the table.",
        "Cancelled orders are counted too; in these tables every country with one has other orders as well.",
    ),
    "depends_on_row_order": ReasonNote(
        "The result changes when the rows of a table are in another order.",
        "The code takes the first row, or relies on a table being sorted.",
        "iloc[0] finds the newest order only while the newest comes first.",
    ),
    "depends_on_columns": ReasonNote(
        "The result changes when a table has a further column, or its columns are in another order.",
        "The code uses positions of columns, or all columns.",
        "orders.iloc[:, 3] is the price until somebody adds a column before it.",
    ),
    "test_failed": ReasonNote(
        "A test of the task fails, or the code is wrong on one of the task's hidden inputs.",
        "The code covers only the cases that the tables show.",
        "On other.csv, with a fourth region, the result has only three.",
    ),
    "grows_faster": ReasonNote(
        "The time of the code grows faster with the tables than that of the reference.",
        "A loop over rows searches the whole table each time.",
        "Ten times as many rows take a hundred times as long.",
    ),
}
_FILES = {
    "file_missing": ReasonNote(
        "A file that the task asks for was not written.",
        "It has another name, or was written to another folder.",
        "The task asks for report.csv; the code writes Report.csv.",
    ),
    "file_unreadable": ReasonNote(
        "A file was written but cannot be read as what its name says.",
        "It was not closed, or was written in another format.",
        "report.xlsx holds CSV.",
    ),
}
_PLOTS = {
    "no_plot": ReasonNote(
        "No plot was drawn.", "The figure was closed, or never made.", "The code returns the numbers of the plot."
    ),
    "plot_data": ReasonNote(
        "The plot shows other data than expected.",
        "Another filter or another column was used before drawing.",
        "The bar of Norway is 5 high, and 4 was expected.",
    ),
    "plot_type": ReasonNote(
        "The plot is of another type than expected.",
        "The question asks for a type, and the code draws another.",
        "A line where the question asks for bars.",
    ),
    "plot_order": ReasonNote(
        "The plot shows its categories in another order than the question asks for.",
        "The code does not sort before drawing.",
        "The question asks for the largest first; the bars are in the order of the alphabet.",
    ),
    "plot_text": ReasonNote(
        "A title, label or legend that the question asks for is missing or different.",
        "The code does not set it.",
        "The question asks for the title Sales; the plot has none.",
    ),
    "plot_scale": ReasonNote(
        "An axis is not as expected.",
        "The scale or the limits that the question asks for were not set.",
        "The question asks for a logarithmic axis; it is linear.",
    ),
}
_CODE = {
    "did_not_run": ReasonNote(
        "The code ended with an error, so there is no result.",
        "A column or a method does not exist, or a type does not fit; the error is shown with its line.",
        "KeyError: 'country' in line 2.",
    ),
    "printed_not_returned": ReasonNote(
        "The code prints its answer and assigns no result.",
        "The prompt does not say that the answer must be in the variable result; {{ instructions }} says it.",
        "print(len(orders)) instead of result = len(orders).",
    ),
    "column_error": ReasonNote(
        "The code names a column or another key that does not exist.",
        "The prompt does not list the columns, or the model guessed a name.",
        "KeyError: 'Country' where the column is country.",
    ),
    "syntax_error": ReasonNote(
        "The code is not valid Python.", "The response was cut off, or words are mixed with code.", "for row in orders"
    ),
    "type_error": ReasonNote(
        "An operation does not fit the type of a value.",
        "Numbers are texts in the table, or a function got the wrong argument.",
        "TypeError: can only concatenate str (not int) to str.",
    ),
    "index_error": ReasonNote(
        "The code asks for a position that does not exist.",
        "A filter left no rows, and the code takes the first one.",
        "IndexError: single positional indexer is out-of-bounds.",
    ),
    "attribute_error": ReasonNote(
        "The code uses a method or an attribute that the object does not have.",
        "It was written for another version of pandas.",
        "AttributeError: 'DataFrame' object has no attribute 'append'.",
    ),
    "value_error": ReasonNote(
        "A value cannot be used as it is.",
        "A text is not a number or a date, or lengths differ.",
        "ValueError: could not convert string to float: '1 234,5'.",
    ),
    "other_error": ReasonNote(
        "The code failed in a way that no other reason covers.",
        "It took too long, used too much memory, left no result, or did what the sandbox does not allow.",
        "No answer within 10 s.",
    ),
}

REASON_NOTES = {**_CODE, **_RESULT, **_EVERYWHERE, **_FILES, **_PLOTS}
