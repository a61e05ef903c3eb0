"""factgate's pytest probe (PYTEST_DONT_REWRITE). It is loaded through PYTEST_PLUGINS; the work is in factgate_pytest.

pytest compiles a plugin that it is told to load each time anew. The other module is imported by Python itself, and its
byte-code is kept beside it, in factgate's own folder, also where the environment forbids byte-code in the tree.
"""

import sys

_kept = sys.dont_write_bytecode
sys.dont_write_bytecode = False
try:
    from factgate_pytest import pytest_load_initial_conftests  # noqa: F401
finally:
    sys.dont_write_bytecode = _kept
