"""The kernels of the GPU path, in Triton, which comes with torch: values to 16 bits, the screen, and the rechecks.

A listed value is one number: the slot of its mark above 24 bits with its place in the stretch of values.
"""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit(do_not_specialize=["scale", "count", "room"])
def halve(
    values,
    scale,
    halves,
    shorts,
    units,
    largest,
    count,
    room,
    WIDTH: tl.constexpr,
    PADDED: tl.constexpr,
    POWER: tl.constexpr,
    STEP: tl.constexpr,
    SHORTS: tl.constexpr,
):
    """Rows times a power of two as float16, and the largest squares of: a row's length, its half row's, and of what was
    lost. With ``SHORTS`` also as whole numbers of 16 bits with a unit for each row, and what was lost there.

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
    inside = (rows < room)[:, None] & (columns < PADDED)[None, :]
    tl.store(halves + offsets * PADDED + columns[None, :], stored, mask=inside)
    _largest(largest, tl.sum(full * full, axis=1))
    _largest(largest + 1, tl.sum(kept * kept, axis=1))
    _largest(largest + 2, tl.sum(lost * lost, axis=1))
    if SHORTS:
        unit = tl.max(tl.abs(full), axis=1) * (1.0 / 32767)
        # A row this short counts as zero: what is lost by that is measured as well.
        unit = tl.where(unit > 1e-20, unit, 0.0)
        short = libdevice.rint(full * tl.where(unit > 0, 1.0 / unit, 0.0)[:, None])
        short = tl.minimum(tl.maximum(short, -32767.0), 32767.0)
        missed = full - short * unit[:, None]
        tl.store(shorts + offsets * PADDED + columns[None, :], short.to(tl.int16), mask=inside)
        tl.store(units + rows, unit, mask=rows < room)
        _largest(largest + 3, tl.sum(missed * missed, axis=1))


@triton.jit
def _largest(place, squares):
    # What is not finite becomes infinite: nothing is sure then, and the host sees it.
    tl.atomic_max(place, tl.max(tl.where(squares < 1e30, squares, float("inf"))), sem="relaxed")


@triton.jit(do_not_specialize=["tiles", "stretch"])
def screen(
    questions,
    values,
    lows,
    highs,
    counts,
    words,
    rows_count,
    tiles,
    stretch,
    PADDED: tl.constexpr,
    SLOTS: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """The product of half rows, tile by tile, never stored: counts what is surely over each mark, and sets a bit in
    ``words`` [slot, stretch, row, tile, 32 columns] for each value too near to tell.

    A program goes through a stretch of tiles of values with one tile of questions.
    """
    WORDS: tl.constexpr = BN // 32
    groups = rows_count // BM
    row_tile = tl.program_id(0) % groups
    number = tl.program_id(0) // groups
    stretches = tl.num_programs(0) // groups
    rows = row_tile * BM + tl.arange(0, BM)
    inner = tl.arange(0, BK)
    columns = tl.arange(0, BN)
    bits = (tl.full((BN,), 1, tl.int32) << (columns % 16))[None, :]
    halves = (tl.arange(0, WORDS * 2) % 2 * 16)[None, :]
    asking = questions + rows[:, None] * PADDED + inner[None, :]
    against = values + columns[None, :].to(tl.int64) * PADDED + inner[:, None]
    mine = words + (number * rows_count + rows).to(tl.int64)[:, None] * (stretch * WORDS) + tl.arange(0, WORDS)[None, :]
    over = tl.zeros((BM,), tl.int64)
    first = number * stretch
    for tile in range(first, tl.minimum(first + stretch, tiles)):
        products = tl.zeros((BM, BN), tl.float32)
        here = against + tile.to(tl.int64) * (BN * PADDED)
        for k in range(0, PADDED, BK):
            products = tl.dot(tl.load(asking + k), tl.load(here + k), products)
        # Most tiles have nothing near a good mark, and one maximum of each row shows it.
        top = tl.max(products, axis=1)
        for slot in tl.static_range(SLOTS):
            low = tl.load(lows + slot * rows_count + rows)
            near = tl.zeros((BM, WORDS), tl.int32)
            if tl.max((top >= low).to(tl.int32)) > 0:
                high = tl.load(highs + slot * rows_count + rows)
                # One sum gives both: how many are surely over, above the bits of those too near to tell.
                kinds = tl.where(products >= high[:, None], 65536, tl.where(products >= low[:, None], bits, 0))
                parts = tl.sum(tl.reshape(kinds, (BM, WORDS * 2, 16)), axis=2)
                over += tl.sum(parts >> 16, axis=1).to(tl.int64) << (16 * slot)
                near = tl.sum(tl.reshape((parts & 0xFFFF) << halves, (BM, WORDS, 2)), axis=2)
            at = (slot * stretches).to(tl.int64) * rows_count * (stretch * WORDS) + (tile - first) * WORDS
            tl.store(mine + at, near)
    for slot in tl.static_range(SLOTS):
        found = ((over >> (16 * slot)) & 0xFFFF).to(tl.int32)
        tl.atomic_add(counts + slot * rows_count + rows, found, mask=found > 0, sem="relaxed")


@triton.jit(do_not_specialize=["lists", "tiles", "stretch"])
def extract(
    words,
    listed,
    lengths,
    rows_count,
    lists,
    tiles,
    stretch,
    SLOTS: tl.constexpr,
    ROOM: tl.constexpr,
    WORDS: tl.constexpr,
    MOST: tl.constexpr,
    EACH: tl.constexpr,
):
    """The bits of ``words`` as lists: each (stretch, row) has one, with ``ROOM`` places; what does not fit is counted
    in ``lengths`` all the same. ``WORDS`` to a tile, ``MOST`` to a stretch at the most."""
    which = tl.arange(0, MOST)
    for one in range(tl.program_id(0) * EACH, tl.minimum((tl.program_id(0) + 1) * EACH, lists)):
        used = tl.minimum(stretch, tiles - one // rows_count * stretch) * WORDS
        had = 0
        for slot in tl.static_range(SLOTS):
            mine = words + (slot * lists + one).to(tl.int64) * (stretch * WORDS)
            left = tl.load(mine + which, mask=which < used, other=0)
            number = libdevice.popc(left)
            most = tl.max(number)
            if most > 0:
                at = had + tl.cumsum(number, axis=0) - number
                for _ in range(most):
                    column = libdevice.popc((left & -left) - 1)
                    place = listed + one.to(tl.int64) * ROOM + at
                    tl.store(place, (slot << 24) | (which * 32 + column), mask=(left != 0) & (at < ROOM))
                    left = left & (left - 1)
                    at += 1
                had += tl.sum(number)
        tl.store(lengths + one, had)


@triton.jit(do_not_specialize=["lists", "stretch"])
def narrow(
    questions,
    values,
    units,
    listed,
    lengths,
    lows,
    highs,
    scores,
    counts,
    rows_count,
    lists,
    stretch,
    SLOTS: tl.constexpr,
    ROOM: tl.constexpr,
    WIDTH: tl.constexpr,
    POWER: tl.constexpr,
    LEVELS: tl.constexpr,
    STRIDE: tl.constexpr,
    CHUNK: tl.constexpr,
    STEP: tl.constexpr,
    EACH: tl.constexpr,
    SHORTS: tl.constexpr,
):
    """Each listed pair again in float32, counted if it is surely over its mark: with the whole numbers of the value,
    where a pair is kept in its list if it is still too near to tell, or with the value's row, where such a pair is
    settled by its exact score. ``stretch`` is in values."""
    inner = tl.arange(0, CHUNK)
    for one in range(tl.program_id(0) * EACH, tl.minimum((tl.program_id(0) + 1) * EACH, lists)):
        length = tl.load(lengths + one)
        if length > 0:
            row = one % rows_count
            begin = one // rows_count * stretch
            question = questions + row.to(tl.int64) * WIDTH
            mine = listed + one.to(tl.int64) * ROOM
            counted = tl.zeros((STEP,), tl.int64)
            kept = 0
            for start in range(0, length, STEP):
                which = start + tl.arange(0, STEP)
                there = which < length
                entry = tl.load(mine + which, mask=there, other=0)
                slot = entry >> 24
                value = begin + (entry & 0xFFFFFF)
                terms = tl.zeros((STEP, CHUNK), tl.float32)
                for k in tl.static_range(0, WIDTH, CHUNK):
                    inside = k + inner < WIDTH
                    asked = tl.load(question + k + inner, mask=inside, other=0.0)
                    at = value.to(tl.int64)[:, None] * STRIDE + (k + inner)[None, :]
                    terms += asked[None, :] * tl.load(values + at, mask=there[:, None] & inside[None, :], other=0).to(
                        tl.float32
                    )
                # Two short sums round less often than one long one, in whatever order each is made.
                score = tl.sum(tl.sum(tl.reshape(terms, (STEP, CHUNK // 32, 32)), axis=2), axis=1)
                if SHORTS:
                    score *= tl.load(units + value, mask=there, other=0.0)
                mark = slot * rows_count + row
                over = there & (score >= tl.load(highs + mark))
                near = (there & (score >= tl.load(lows + mark)) & ~over).to(tl.int32)
                if SHORTS:
                    # What is kept takes the place of something that was read before.
                    tl.store(mine + kept + tl.cumsum(near, axis=0) - near, entry, mask=near > 0)
                    kept += tl.sum(near)
                elif tl.max(near) > 0:
                    exact = _exact(question, values, value, near > 0, WIDTH, POWER, LEVELS, STEP)
                    over = over | ((near > 0) & (exact >= tl.load(scores + mark)))
                counted += over.to(tl.int64) << (16 * slot).to(tl.int64)
            if SHORTS:
                tl.store(lengths + one, kept)
            total = tl.sum(counted)
            for slot in tl.static_range(SLOTS):
                found = ((total >> (16 * slot)) & 0xFFFF).to(tl.int32)
                tl.atomic_add(counts + slot * rows_count + row, found, sem="relaxed")


@triton.jit
def _exact(
    question,
    values,
    value,
    there,
    WIDTH: tl.constexpr,
    POWER: tl.constexpr,
    LEVELS: tl.constexpr,
    STEP: tl.constexpr,
):
    """The exact scores of a question with some values, summed as ``ranks.score`` defines it."""
    columns = tl.arange(0, POWER)
    inside = columns < WIDTH
    asked = tl.load(question + columns, mask=inside, other=0.0).to(tl.float64)
    at = value.to(tl.int64)[:, None] * WIDTH + columns[None, :]
    rows = tl.load(values + at, mask=there[:, None] & inside[None, :], other=0.0)
    terms = asked[None, :] * rows.to(tl.float64)
    # The tree of halves. Adding a zero changes nothing, so a row filled up to a power of two has the sum of the row.
    for level in tl.static_range(LEVELS):
        terms = tl.sum(tl.reshape(terms, (STEP, 2, POWER >> (level + 1))), axis=1)
    return tl.reshape(terms, (STEP,)).to(tl.float32)


@triton.jit(do_not_specialize=["lists", "stretch", "first", "most"])
def collect(
    questions,
    values,
    listed,
    lengths,
    starts,
    keys,
    rows_count,
    lists,
    stretch,
    first,
    most,
    ROOM: tl.constexpr,
    WIDTH: tl.constexpr,
    POWER: tl.constexpr,
    LEVELS: tl.constexpr,
    STEP: tl.constexpr,
):
    """A key for each listed pair, in its question's row of ``keys`` from ``starts`` on: the exact score, and below it
    the position, so that the greatest key is the best value and of equal ones the first. ``first`` is the position of
    the block's first value."""
    for one in range(tl.program_id(0), lists, tl.num_programs(0)):
        length = tl.load(lengths + one)
        if length > 0:
            row = (one % rows_count).to(tl.int64)
            begin = one // rows_count * stretch
            place = keys + row * most + tl.load(starts + one)
            for start in range(0, length, STEP):
                which = start + tl.arange(0, STEP)
                there = which < length
                entry = tl.load(listed + one.to(tl.int64) * ROOM + which, mask=there, other=0)
                value = begin + (entry & 0xFFFFFF)
                score = _exact(questions + row * WIDTH, values, value, there, WIDTH, POWER, LEVELS, STEP)
                bits = (score + 0.0).to(tl.int32, bitcast=True)  # no negative zero
                ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
                key = (ordered.to(tl.int64) << 32) | (4294967295 - (first + value.to(tl.int64)))
                tl.store(place + which, key, mask=there)
