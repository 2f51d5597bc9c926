"""The routes, one file for each page."""

from __future__ import annotations

from karat.web.routes import api, assets, case, compare, export, login, new_case, pin, report, review, run, runs, shared

ROUTERS = tuple(
    module.router
    for module in (runs, run, report, pin, shared, case, new_case, review, compare, export, login, assets, api)
)
