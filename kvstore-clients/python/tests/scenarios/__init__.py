"""Scenarios against a running server."""
