"""Draws walk.svg, the picture of docs/architecture.md: ``python docs/pictures/walk.py``.

What is drawn above calls what is drawn below. The row of amber chips is the case on its way.
"""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN, GAP = 1000, 570, 24, 10
STYLE = """
  text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-size: 13px; fill: #57606a }
  .name { font-size: 15px; font-weight: 600; fill: #1f2328 }
  .file { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px; fill: #0550ae }
  .chip { font-size: 13px; font-weight: 600; fill: #5c3d00 }
  .page { fill: #ffffff; stroke: #d0d7de }
  .bar { fill: #eef2f6; stroke: #d0d7de }
  .step { fill: #f6f8fa; stroke: #b6bfc9 }
  .made { fill: #ffe8a8; stroke: #d9a520 }
  .kept { fill: #e6f3ea; stroke: #8fc3a0 }
  .way { stroke: #b3820a; stroke-width: 2; fill: none }
  .call { stroke: #8c959f; stroke-width: 1.3; fill: none }
  .save { stroke: #4d9464; stroke-width: 1.3; stroke-dasharray: 4 3; fill: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #9aa4af }
    .name { fill: #e6edf3 }
    .file { fill: #79b8ff }
    .chip { fill: #ffdf8a }
    .page { fill: #0d1117; stroke: #30363d }
    .bar { fill: #1a212a; stroke: #30363d }
    .step { fill: #151b23; stroke: #444c56 }
    .made { fill: #3d2e05; stroke: #9e7717 }
    .kept { fill: #12261a; stroke: #2f6b43 }
    .way { stroke: #d9a520 }
    .call { stroke: #768390 }
    .save { stroke: #57ab6f }
  }
"""
STEPS = (
    (140, "suites/X", "cases.py", ("reads and checks", "the case file"), "Case"),
    (148, "systems", "caller.py", ("asks the assistant:", "limits, retries, cost"), "Prediction"),
    (180, "suites/X", "comparison.py", ("built on tables, search,", "sheet, sandbox, engines"), "Comparison"),
    (146, "suites/X", "metrics/", ("one file each,", "pure functions"), "Score"),
    (152, "stats", "intervals/", ("means over cases,", "with intervals"), "RunResult"),
    (136, "reports", "full_report.py", ("writes what the", "suite explains"), "Excel, HTML"),
)
"""Width, package, file, what happens there, and what comes out."""
BARS_TOP, BAR, STEPS_TOP, STEP, CHIPS_TOP, CHIP, STORE_TOP, CORE_TOP = 24, 46, 206, 112, 348, 34, 430, 500


def rect(kind: str, x: float, y: float, width: float, height: float, radius: float = 6) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"/>'


def text(kind: str, x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def line(kind: str, *points: tuple[float, float], tip: str = "") -> str:
    path = "M" + " L".join(f"{x} {y}" for x, y in points)
    return f'<path class="{kind}" d="{path}"' + (f' marker-end="url(#{tip})"' if tip else "") + "/>"


def bar(x: float, y: float, width: float, name: str, files: str, words: str) -> list[str]:
    """A package that calls what is below it."""
    left = x + 14
    return [
        rect("bar", x, y, width, BAR - 8),
        text("name", left, y + 24, name),
        text("file", left + 62, y + 24, files),
        text("", x + width - 14, y + 24, words, "end"),
    ]


def drawing() -> list[str]:
    """All shapes, from the back to the front."""
    full = WIDTH - 2 * MARGIN
    lefts = [MARGIN + sum(step[0] for step in STEPS[:at]) + GAP * at for at in range(len(STEPS))]
    middles = [left + step[0] / 2 for left, step in zip(lefts, STEPS, strict=True)]
    runs_left, runs_right = lefts[1], lefts[4] + STEPS[4][0]
    parts = [rect("page", 0.5, 0.5, WIDTH - 1, HEIGHT - 1, 10)]
    parts += bar(MARGIN, BARS_TOP, full, "cli", "measure/run.py", "karat run: parses the command, prints the result")
    parts += bar(MARGIN, BARS_TOP + BAR, full, "verbs", "run.py", "the same function as karat.run(…) in Python")
    parts += bar(runs_left, BARS_TOP + 2 * BAR, runs_right - runs_left, "runs", "runner.py", "calls, scores, resumes")
    under_verbs, under_runs = BARS_TOP + 2 * BAR - 8, BARS_TOP + 3 * BAR - 8
    for at, (width, name, file, words, made) in enumerate(STEPS):
        left, middle = lefts[at], middles[at]
        calling = under_verbs if at in (0, len(STEPS) - 1) else under_runs
        parts.append(line("call", (middle, calling), (middle, STEPS_TOP - 2), tip="call-tip"))
        parts.append(rect("step", left, STEPS_TOP, width, STEP))
        parts.append(text("name", left + 12, STEPS_TOP + 25, name))
        parts.append(text("file", left + 12, STEPS_TOP + 46, file))
        for row, sentence in enumerate(words):
            parts.append(text("", left + 12, STEPS_TOP + 72 + 18 * row, sentence))
        parts.append(line("way", (middle, STEPS_TOP + STEP), (middle, CHIPS_TOP)))
        parts.append(rect("made", left + 4, CHIPS_TOP, width - 8, CHIP, CHIP / 2))
        parts.append(text("chip", middle, CHIPS_TOP + 22, made, "middle"))
        if at:
            parts.append(
                line("way", (left - GAP - 3, CHIPS_TOP + CHIP / 2), (left + 2, CHIPS_TOP + CHIP / 2), tip="way-tip")
            )
    web = lefts[5]
    parts.append(rect("kept", MARGIN, STORE_TOP, web - GAP - MARGIN - 22, 44))
    parts.append(text("name", MARGIN + 14, STORE_TOP + 27, "store"))
    parts.append(
        text(
            "",
            MARGIN + 70,
            STORE_TOP + 27,
            "SQLite or PostgreSQL: the run and its cases, each answer as it arrives, scores and details",
        )
    )
    for at in (0, 1, 3, 4):
        parts.append(line("save", (middles[at], CHIPS_TOP + CHIP), (middles[at], STORE_TOP - 2), tip="save-tip"))
    parts.append(rect("step", web, STORE_TOP, STEPS[5][0], 44))
    parts.append(text("name", web + 14, STORE_TOP + 27, "web"))
    parts.append(text("", web + 56, STORE_TOP + 27, "the viewer"))
    parts.append(line("save", (web - GAP - 22, STORE_TOP + 22), (web - 2, STORE_TOP + 22), tip="save-tip"))
    parts.append(rect("bar", MARGIN, CORE_TOP, full, 44))
    parts.append(text("name", MARGIN + 14, CORE_TOP + 27, "core"))
    parts.append(
        text(
            "",
            MARGIN + 70,
            CORE_TOP + 27,
            "the types that all of them share: Case, Prediction, Score, Metric, Suite, System, Explanation, Report, "
            "Problem",
        )
    )
    return parts


def tip(name: str, kind: str) -> str:
    """The head of an arrow, in the colour of its line."""
    shape = f'<path class="{kind}" d="M1 1 L6 4 L1 7" style="stroke-dasharray: none"/>'
    size = 'viewBox="0 0 8 8" refX="6" refY="4" markerWidth="8" markerHeight="8"'
    return f'<marker id="{name}" {size} orient="auto" markerUnits="userSpaceOnUse">{shape}</marker>'


def svg() -> str:
    """The picture, in the reader's own fonts, light or dark as the reader's system is."""
    title = "One case on its way through Karat: from the command line to the reports"
    tips = "".join(tip(f"{kind}-tip", kind) for kind in ("call", "way", "save"))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
    return "\n".join(
        [head, f"<title>{title}</title>", f"<style>{STYLE}</style>", f"<defs>{tips}</defs>", *drawing(), "</svg>\n"]
    )


if __name__ == "__main__":
    Path(__file__).with_name("walk.svg").write_text(svg(), "utf-8")
