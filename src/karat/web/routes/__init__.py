"""The routes, one file for each page."""

from __future__ import annotations

from karat.web.routes import (
    api,
    assets,
    calibration,
    case,
    case_history,
    compare,
    export,
    filters_and_case_sets,
    live,
    login,
    new_case,
    pin,
    report,
    review,
    review_agreement,
    review_queue,
    run,
    run_views,
    runs,
    tune,
)

ROUTERS = tuple(
    module.router
    for module in (
        runs,
        run,
        run_views,
        live,
        report,
        pin,
        filters_and_case_sets,
        case,
        case_history,
        new_case,
        review,
        review_agreement,
        review_queue,
        calibration,
        compare,
        tune,
        export,
        login,
        assets,
        api,
    )
)
