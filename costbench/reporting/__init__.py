"""Reporting: from sealed counts and their prices to tables, figures and a page that can be checked."""
