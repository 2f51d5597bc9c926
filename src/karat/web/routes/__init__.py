"""The routes, one file for each page."""

from __future__ import annotations

from karat.web.routes import (
    api,
    assets,
    case,
    compare,
    export,
    filters_and_case_sets,
    login,
    new_case,
    pin,
    report,
    review,
    run,
    runs,
    tune,
)

ROUTERS = tuple(
    module.router
    for module in (
        runs,
        run,
        report,
        pin,
        filters_and_case_sets,
        case,
        new_case,
        review,
        compare,
        tune,
        export,
        login,
        assets,
        api,
    )
)
