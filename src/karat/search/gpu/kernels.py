"""The kernels of the GPU path, in Triton, which comes with torch: values to half precision, the screen, and the
rechecks."""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["scale", "count", "room"])
def halve(
    values,
    scale,
    halves,
    largest,
    count,
    room,
    WIDTH: tl.constexpr,
    PADDED: tl.constexpr,
    POWER: tl.constexpr,
    STEP: tl.constexpr,
):
    """Rows times a power of two as float16, and the largest squares of: a row's length, its half row's, and of what was
    lost.

    Rows beyond ``count`` become NaN, which is over no mark.
    """
    rows = tl.program_id(0) * STEP + tl.arange(0, STEP)
    columns = tl.arange(0, POWER)
    there = (rows < count)[:, None] & (columns < WIDTH)[None, :]
    offsets = rows.to(tl.int64)[:, None]
    full = tl.load(values + offsets * WIDTH + columns[None, :], mask=there, other=0.0) * scale
    half = full.to(tl.float16)
    kept = half.to(tl.float32)
    lost = full - kept
    stored = tl.where((rows < count)[:, None], half, float("nan"))
    tl.store(
        halves + offsets * PADDED + columns[None, :], stored, mask=(rows < room)[:, None] & (columns < PADDED)[None, :]
    )
    _largest(largest, tl.sum(full * full, axis=1))
    _largest(largest + 1, tl.sum(kept * kept, axis=1))
    _largest(largest + 2, tl.sum(lost * lost, axis=1))


@triton.jit
def _largest(place, squares):
    # What is not finite becomes infinite: nothing is sure then, and the host sees it.
    tl.atomic_max(place, tl.max(tl.where(squares < 1e30, squares, float("inf"))), sem="relaxed")


@triton.jit(do_not_specialize=["tiles", "stretch"])
def screen(
    questions,
    values,
    floors,
    lows,
    highs,
    counts,
    listed,
    lengths,
    rows_count,
    tiles,
    stretch,
    PADDED: tl.constexpr,
    SLOTS: tl.constexpr,
    ROOM: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """The product of half rows, tile by tile, never stored: counts what is surely over each mark, lists the values too
    near to tell.

    A program goes through a stretch of tiles of values with one tile of questions. ``floors`` are the least of the lows
    of each row. Each (stretch, slot, row) has its own list with ``ROOM`` places; what does not fit is counted in
    ``lengths`` all the same.
    """
    groups = rows_count // BM
    row_tile = tl.program_id(0) % groups
    number = tl.program_id(0) // groups
    rows = row_tile * BM + tl.arange(0, BM)
    inner = tl.arange(0, BK)
    columns = tl.arange(0, BN)
    floor = tl.load(floors + rows)
    asking = questions + rows[:, None] * PADDED + inner[None, :]
    against = values + columns[None, :].to(tl.int64) * PADDED + inner[:, None]
    for tile in range(number * stretch, tl.minimum((number + 1) * stretch, tiles)):
        products = tl.zeros((BM, BN), tl.float32)
        here = against + tile.to(tl.int64) * (BN * PADDED)
        for k in range(0, PADDED, BK):
            products = tl.dot(tl.load(asking + k), tl.load(here + k), products)
        # Most tiles have nothing near any mark, and one maximum of each row shows it.
        if tl.max((tl.max(products, axis=1) >= floor).to(tl.int32)) > 0:
            for slot in tl.static_range(SLOTS):
                marks = slot * rows_count + rows
                low = tl.load(lows + marks)[:, None]
                high = tl.load(highs + marks)[:, None]
                over = tl.sum((products >= high).to(tl.int32), axis=1)
                near = tl.sum((products >= low).to(tl.int32), axis=1) - over
                tl.atomic_add(counts + marks, over, mask=over > 0, sem="relaxed")
                most = tl.max(near)
                if most > 0:
                    # One column of each row at a time, from the left.
                    lists = (number * SLOTS) * rows_count + marks
                    had = tl.atomic_add(lengths + lists, near, mask=near > 0, sem="relaxed")
                    unsure = tl.where((products >= low) & (products < high), columns[None, :], BN)
                    for turn in range(most):
                        column = tl.min(unsure, axis=1)
                        fits = (turn < near) & (had + turn < ROOM)
                        tl.store(listed + lists.to(tl.int64) * ROOM + had + turn, tile * BN + column, mask=fits)
                        unsure = tl.where(unsure == column[:, None], BN, unsure)


@triton.jit(do_not_specialize=["lists"])
def recheck(
    questions,
    values,
    listed,
    lengths,
    lows,
    highs,
    counts,
    left,
    still,
    rows_count,
    lists,
    SLOTS: tl.constexpr,
    ROOM: tl.constexpr,
    WIDTH: tl.constexpr,
    POWER: tl.constexpr,
    STEP: tl.constexpr,
    EACH: tl.constexpr,
):
    """Each listed pair again in float32: counted if surely over its mark, put in ``left`` as (mark, value) if still too
    near to tell."""
    columns = tl.arange(0, POWER)
    inside = columns < WIDTH
    for one in range(tl.program_id(0) * EACH, tl.minimum((tl.program_id(0) + 1) * EACH, lists)):
        length = tl.minimum(tl.load(lengths + one), ROOM)
        if length > 0:
            mark = one % (SLOTS * rows_count)
            row = (mark % rows_count).to(tl.int64)
            low = tl.load(lows + mark)
            high = tl.load(highs + mark)
            question = tl.load(questions + row * WIDTH + columns, mask=inside, other=0.0)
            counted = tl.zeros((STEP,), tl.int32)
            for start in range(0, length, STEP):
                which = start + tl.arange(0, STEP)
                there = which < length
                value = tl.load(listed + one.to(tl.int64) * ROOM + which, mask=there, other=0)
                rows = tl.load(
                    values + value.to(tl.int64)[:, None] * WIDTH + columns[None, :],
                    mask=there[:, None] & inside[None, :],
                    other=0.0,
                )
                # Two short sums round less often than one long one, in whatever order each is made.
                terms = tl.reshape(rows * question[None, :], (STEP, POWER // 32, 32))
                score = tl.sum(tl.sum(terms, axis=2), axis=1)
                over = there & (score >= high)
                near = there & (score >= low) & (score < high)
                counted += over.to(tl.int32)
                if tl.max(near.to(tl.int32)) > 0:
                    place = tl.atomic_add(still + tl.zeros_like(which), near.to(tl.int64), mask=near, sem="relaxed")
                    tl.store(left + place * 2, tl.zeros_like(value) + mark, mask=near)
                    tl.store(left + place * 2 + 1, value, mask=near)
            tl.atomic_add(counts + mark, tl.sum(counted), sem="relaxed")


@triton.jit
def settle(
    questions,
    values,
    pairs,
    found,
    scores,
    counts,
    rows_count,
    WIDTH: tl.constexpr,
    POWER: tl.constexpr,
    LEVELS: tl.constexpr,
    STEP: tl.constexpr,
):
    """The exact score of each listed pair, summed as ``ranks.score`` defines it; those that score as much as the truth
    are counted."""
    listed = tl.load(found)
    columns = tl.arange(0, POWER)
    inside = (columns < WIDTH)[None, :]
    for start in range(tl.program_id(0) * STEP, listed, tl.num_programs(0) * STEP):
        which = start + tl.arange(0, STEP)
        there = which < listed
        mark = tl.load(pairs + which * 2, mask=there, other=0)
        value = tl.load(pairs + which * 2 + 1, mask=there, other=0)
        mask = there[:, None] & inside
        row = (mark % rows_count).to(tl.int64)
        a = tl.load(questions + row[:, None] * WIDTH + columns[None, :], mask=mask, other=0.0)
        b = tl.load(values + value.to(tl.int64)[:, None] * WIDTH + columns[None, :], mask=mask, other=0.0)
        terms = a.to(tl.float64) * b.to(tl.float64)
        # The tree of halves. Adding a zero changes nothing, so a row filled up to a power of two has the sum of the
        # row.
        for level in tl.static_range(LEVELS):
            terms = tl.sum(tl.reshape(terms, (STEP, 2, POWER >> (level + 1))), axis=1)
        score = tl.reshape(terms, (STEP,)).to(tl.float32)
        passed = there & (score >= tl.load(scores + mark, mask=there, other=float("inf")))
        tl.atomic_add(counts + mark, passed.to(tl.int32), mask=passed, sem="relaxed")
