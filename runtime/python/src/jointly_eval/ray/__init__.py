"""Spreads the units of a `jointly run` over a Ray cluster; the scores are those of one machine, to the byte.

Nothing else in the package imports this. Below it, `import ray` is Ray itself.
"""
