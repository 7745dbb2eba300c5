"""Agents of models that were made with other packages; each module imports its package only when it trains."""
