"""Writes the console scripts of a Python distribution that no system package has installed: console-scripts.py NAME."""
import pathlib
import shutil
import sys
from importlib.metadata import distribution

PROGRAM = """#!/usr/bin/python3
import sys
from %s import %s

sys.exit(%s())
"""

for entry in distribution(sys.argv[1]).entry_points.select(group="console_scripts"):
    program = pathlib.Path("/usr/bin", entry.name)
    if shutil.which(entry.name) is None:
        program.write_text(PROGRAM % (entry.module, entry.attr, entry.attr))
        program.chmod(0o755)
