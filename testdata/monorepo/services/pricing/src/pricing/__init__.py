"""Prices of parcels: money, tariffs, quotes and pickup windows."""
