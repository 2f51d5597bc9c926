"""The routes, one file for each page."""

from __future__ import annotations

from karat.web.routes import (
    api,
    assets,
    case,
    compare,
    export,
    filters_and_case_sets,
    live,
    login,
    new_case,
    pin,
    report,
    review,
    run,
    runs,
)

ROUTERS = tuple(
    module.router
    for module in (
        runs,
        run,
        live,
        report,
        pin,
        filters_and_case_sets,
        case,
        new_case,
        review,
        compare,
        export,
        login,
        assets,
        api,
    )
)
