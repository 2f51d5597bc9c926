def test_right_cases_are_counted_in_words() -> None:
    from karat.core.metric import right_words

    assert right_words(85, 1118, "fully right") == "85 of 1,118 fully right"
    assert right_words(4, 16, "passed") == "4 of 16 passed"
    assert right_words(18, 22, "passed, in-sample") == "18 of 22 passed, in-sample"
    assert right_words(5, 13, "fully right", partly=1) == "5 of 13 fully right (1 in part)"
    assert right_words(158, 199, "spider2") == "158 of 199 right by spider2"
    assert right_words(1, 2, "Spider execution") == "1 of 2 right by Spider execution"
