"""What each reason of the suite means, what usually causes it, and an example; for ``karat explain``."""

from __future__ import annotations

from karat.core.metrics.worked_examples import ReasonNote

REASON_NOTES = {
    "missing_prediction": ReasonNote(
        "Nothing was submitted for the instance.",
        "The run was stopped early, or the id in the submission is spelled differently.",
        "Gold has local_012; results_metadata.jsonl has no line for it.",
    ),
    "unreadable_prediction": ReasonNote(
        "Something was submitted, but it cannot be read as an answer.",
        "The file is missing, is not UTF-8, is separated by semicolons, or is outside the submission folder.",
        "result.csv begins with ship;year and gold expects commas.",
    ),
    "row_count": ReasonNote(
        "The answer has more or fewer rows than gold.",
        "A filter, a join or a LIMIT differs.",
        "Gold has 3 ships; the answer has 4, one of them built in 1970 where before 1970 was asked.",
    ),
    "missing_column": ReasonNote(
        "No column of the answer contains what a gold column contains.",
        "The query selects the name although the question asks for the id, or leaves a computed column out.",
        "Gold: ship, year. Answer: ship.",
    ),
    "values_differ": ReasonNote(
        "The shape is right, but cells differ, and no single cause explains all of them.",
        "Another formula, another filter, or another column was used.",
        "Gold: revenue 120, 80. Answer: 118, 95.",
    ),
    "rows_scrambled": ReasonNote(
        "Every column has the right values, but they are not in the same rows.",
        "Columns were sorted separately, or joined on the wrong key.",
        "Gold: (A, 1), (B, 2). Answer: (A, 2), (B, 1).",
    ),
    "order_differs": ReasonNote(
        "The rows are right, but their order matters and is wrong.",
        "ORDER BY is missing, or it sorts in the other direction.",
        "Gold: 2021, 2022, 2023. Answer: 2023, 2022, 2021.",
    ),
    "scale_100": ReasonNote(
        "Numbers are off by a factor of 100.",
        "The answer gives a share instead of a percentage, or the reverse.",
        "Gold: 12.5. Answer: 0.125.",
    ),
    "rounding": ReasonNote(
        "Numbers are rounded more than those of gold, and would be equal otherwise.",
        "The query rounds, or the model shortened the figures. normalise: {rounding: yes} lets it pass.",
        "Gold: 0.1234. Answer: 0.12.",
    ),
    "null_vs_zero": ReasonNote(
        "One side has a null and the other has 0.",
        "COALESCE, or a LEFT JOIN that gold does not have.",
        "Gold: an empty cell. Answer: 0.",
    ),
    "case_or_space": ReasonNote(
        "Texts differ only in capitals or blanks.",
        "The query uses UPPER or TRIM, or the model retyped the names.",
        "Gold: Harbour Line. Answer: HARBOUR LINE.",
    ),
    "date_format": ReasonNote(
        "The dates are the same days in another format.",
        "The database formats dates differently, or the model does.",
        "Gold: 2024-03-01. Answer: 1 March 2024.",
    ),
    "duplicates": ReasonNote(
        "The rows are the same if repeated rows count once.",
        "DISTINCT is missing or not needed, or a join multiplies rows.",
        "Gold: A, B. Answer: A, A, B.",
    ),
    "shape_differs": ReasonNote(
        "The answer is of another kind than gold: a text instead of a table, a file instead of a text.",
        "The answer has the wrong type in the submission, or a table of a database file is missing.",
        "Gold is a CSV file; the submission has an answer of one sentence.",
    ),
    "labels_swapped": ReasonNote(
        "A header of the answer labels the cells of another gold column, or gold's cells are under another header than "
        "the one that is there. Needs review.",
        "Two columns were swapped, or an alias is wrong.",
        "Gold: departures, arrivals. Answer: the same cells with the two headers exchanged.",
    ),
    "extra_match_excluded": ReasonNote(
        "The answer says something that gold excludes.",
        "The answer lists all candidates instead of choosing one.",
        'Gold: Harbour, exclude: Station. Answer: "Harbour and Station".',
    ),
    "wrong_number": ReasonNote(
        "The number of gold is not in the answer.",
        "A wrong query, or a slip in reading its result.",
        'Gold: 42. Answer: "There are 41 ships."',
    ),
    "wrong_text": ReasonNote(
        "The text of gold is not in the answer.",
        "A wrong query, or another spelling of the same thing; gold may list several spellings.",
        "Gold: Harbour. Answer: Station.",
    ),
    "several_answers": ReasonNote(
        "The answer gives several values and does not choose one. Needs review.",
        "The model lists candidates, or the query returns more rows than the one that was asked for.",
        'Gold: Harbour. Answer: "Harbour or Station".',
    ),
    "hedged": ReasonNote(
        "The answer contains gold but says that it is not certain. Needs review.",
        "The model could not run the query and guesses.",
        'Gold: Harbour. Answer: "I do not know; maybe Harbour".',
    ),
    "negated": ReasonNote(
        "The answer mentions gold only to deny it. Needs review.",
        'A sentence such as "not X" is meant, or the gold text is part of an aside.',
        'Gold: Harbour. Answer: "It is not Harbour."',
    ),
    "two_readings": ReasonNote(
        "A number can be read in two ways, and only the less usual reading is gold. Needs review.",
        "Blanks between digits, or a number in brackets.",
        'Gold: 12480. Answer: "12 480 passengers", which may be 12 and 480.',
    ),
    "no_value": ReasonNote(
        "The query ran and returned no value: no row, or only nulls.",
        "A filter matches nothing, often because of capitals or a date as text.",
        "SELECT max(year) FROM ships WHERE line = 'north' where the data has 'North'.",
    ),
    "sql_error": ReasonNote(
        "The database refused the query.",
        "A column or table that does not exist, or the syntax of another database.",
        "no such column: ship_name. The message of the database is in the evidence.",
    ),
    "timeout": ReasonNote(
        "The query ran longer than the time limit.",
        "A join without a condition, or a limit too short for the data (query_timeout, timeout).",
        "SELECT * FROM trips, tickets runs past 30 seconds.",
    ),
    "gold_error": ReasonNote(
        "Gold itself cannot be used, so the answer cannot be judged.",
        "A gold file is missing, or the gold query fails on this database. karat check lists such gold.",
        "Gold names result.csv, and the folder has results.csv.",
    ),
    "gold_unstable": ReasonNote(
        "The gold query gives another result when it is run again with unordered rows in reverse.",
        "LIMIT without ORDER BY, or concatenation without an order.",
        "SELECT name FROM ships LIMIT 1.",
    ),
    "empty_gold": ReasonNote(
        "Gold has no rows, only nulls or a single 0, so an equal result proves little. Needs review.",
        "The gold query filters everything away, often by mistake.",
        "Gold: SELECT count(*) FROM ships WHERE year > 2050 gives 0, and so do many wrong queries.",
    ),
    "ties_all": ReasonNote(
        "Gold's LIMIT cuts tied rows, and the answer gives all of them. Needs review.",
        "The question asks for one, but several share the first place.",
        "Gold: LIMIT 1 of two ships built in 1999. Answer: both.",
    ),
    "extra_columns": ReasonNote(
        "The answer has more columns than gold.",
        "The model adds context. It passes with a note unless extra_columns: deny is set.",
        "Gold: ship. Answer: ship, year.",
    ),
    "lucky": ReasonNote(
        "The answer equals gold on this data, but generated rows show that the queries differ.",
        "The query is wrong in a way that this database does not show. lucky: fail makes it a failure.",
        "Gold counts DISTINCT ships, the answer counts rows; here no ship repeats.",
    ),
}
