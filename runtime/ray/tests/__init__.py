"""The tests; `python -m unittest` in runtime/ray runs them."""
