"""Plots as Vega-Lite specifications, for the HTML report and the viewer."""
