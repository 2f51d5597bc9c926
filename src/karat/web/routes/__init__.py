"""The routes, one file for each page."""

from __future__ import annotations

from karat.web.routes import api, assets, case, compare, export, login, review, run, runs

ROUTERS = tuple(module.router for module in (runs, run, case, review, compare, export, login, assets, api))
