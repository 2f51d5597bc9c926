"""pass@k and pass^k: by hand, and against counting every choice of k tries."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.results.pass_k import pass_at_k, pass_hat_k


def test_by_hand() -> None:
    # 5 tries, 2 passed, 2 drawn: C(3,2)/C(5,2) = 3/10 draw none that passed, C(2,2)/C(5,2) = 1/10 only such.
    assert pass_at_k(5, 2, 2) == pytest.approx(0.7)
    assert pass_hat_k(5, 2, 2) == pytest.approx(0.1)


def test_ends() -> None:
    assert pass_at_k(4, 0, 3) == pass_hat_k(4, 0, 3) == 0.0
    assert pass_at_k(4, 4, 3) == pass_hat_k(4, 4, 3) == 1.0
    assert pass_at_k(10_000, 1, 5_000) == pytest.approx(0.5)  # no overflow


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_every_choice_counted(numbers: tuple[int, int, int]) -> None:
    n, c, k = numbers
    draws = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(any(draw) for draw in draws) / len(draws))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(all(draw) for draw in draws) / len(draws))


def test_one_try_is_the_plain_rate() -> None:
    assert pass_at_k(7, 3, 1) == pytest.approx(pass_hat_k(7, 3, 1)) == pytest.approx(3 / 7)


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 4), (3, 1, 0), (0, 0, 1)])
def test_what_cannot_be_is_refused(n: int, c: int, k: int) -> None:
    for share in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="between"):
            share(n, c, k)
