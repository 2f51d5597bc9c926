"""The routes, one file for each page."""

from __future__ import annotations

from karat.web.routes import api, assets, compare, export, filters_and_case_sets, login, runs
from karat.web.routes.case import case, case_history, new_case
from karat.web.routes.review import calibration, review, review_agreement, review_queue
from karat.web.routes.run import live, pin, report, run, run_views, tune

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
