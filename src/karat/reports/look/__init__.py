"""The look that viewer, HTML report, plots and workbook share: tokens, components and small charts."""
