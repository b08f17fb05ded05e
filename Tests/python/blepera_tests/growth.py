"""The resources that a process keeps over a long run: samples of memory, descriptors and threads, and their growth."""

from typing import NamedTuple

ALLOWED = 0.02


class Sample(NamedTuple):
    memory: int  # KiB, resident
    descriptors: int
    threads: int


def growth_table(samples: list[Sample]) -> tuple[str, bool]:
    """The second quarter of the samples beside the last, as a table, and whether nothing grew: memory by at most 2 %.

    Descriptors and threads come and go with connections, so the fewest of each quarter are compared.
    """
    quarter = max(1, len(samples) // 4)
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    rows, is_level = ['| | second quarter | last quarter | growth | |', '|---|---|---|---|---|'], True
    for index, name in enumerate(['resident memory, KiB', 'descriptors', 'threads']):
        first, last = (sum(one[index] for one in part) / len(part) for part in (early, late))
        growth = last / first - 1
        fits = min(one[index] for one in late) <= min(one[index] for one in early) if index else growth <= ALLOWED
        is_level = is_level and fits
        rows.append(f'| {name} | {first:.0f} | {last:.0f} | {growth:+.1%} | {"" if fits else "grows"} |')
    return '\n'.join(rows), is_level
