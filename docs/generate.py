"""Write the generated pages of docs/, or check them: `docs/generate.py --help`."""
# ruff: noqa: INP001 - a script; docs/ is no package

import runpy

# By name, so that the modules of the package can import each other as siblings.
runpy.run_module("generator", run_name="__main__", alter_sys=True)
