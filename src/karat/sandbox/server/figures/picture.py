"""What a figure of matplotlib looks like, as raw pixels of at most 800 × 600: the host makes a picture of them."""

from __future__ import annotations

import base64
from typing import Any  # Any: a figure of matplotlib, which is not imported before code draws

WIDTH, HEIGHT = 800, 600
SMALLEST = 1


def picture_of(figure: Any) -> dict[str, Any] | None:
    """Width, height and RGBA in base64; None when it cannot be drawn."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    canvas, dpi, stale = figure.canvas, Figure.get_dpi(figure), figure.stale
    try:
        width, height = (float(side) for side in Figure.get_size_inches(figure))
        if not (0 < width < 10_000 and 0 < height < 10_000):
            return None
        scale = min(WIDTH / width, HEIGHT / height, 100.0)
        figure.set_dpi(scale)
        drawn = FigureCanvasAgg(figure)
        drawn.draw()
        pixels = drawn.buffer_rgba()
        rows, columns = pixels.shape[:2]
        if not (SMALLEST <= columns <= WIDTH and SMALLEST <= rows <= HEIGHT):
            return None
        return {"width": columns, "height": rows, "rgba": base64.b64encode(bytes(pixels)).decode("ascii")}
    except Exception:  # a figure that cannot be drawn has no picture
        return None
    finally:
        figure.set_dpi(dpi)
        figure.set_canvas(canvas)
        figure.stale = stale
