{{- /* Components without an RPC server (`heartbeat`): the start of the service, and its probes. */ -}}
{{- define "common.scripts.heartbeat.py" -}}
"""Starts a service whose main loop leaves heartbeats: heartbeat.py MODULE:FUNCTION[,...] COMMAND [ARGUMENT...]

The command is a console script of Python. The functions are called by the loop in each round, so the loop itself writes:
each call updates the file HEARTBEAT of its process, whose age the probes check. Until the first one, `start` counts.
"""
import functools
import importlib.util
import os
import runpy
import shutil
import sys

HEARTBEAT = "/tmp/heartbeat.%s"


def beat(process):
    try:
        with open(HEARTBEAT % process, "w"):
            pass
    except OSError as error:
        print("no heartbeat: %s" % error, file=sys.stderr)


def beating(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        beat(os.getpid())
        try:
            return function(*args, **kwargs)
        finally:
            beat(os.getpid())
    return call


class Finder:
    """Wraps a function when its module is imported."""

    def __init__(self, target):
        self.module, _, self.path = target.partition(":")

    def find_spec(self, name, path=None, target=None):
        if name != self.module:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            *owners, function = self.path.split(".")
            owner = functools.reduce(getattr, owners, module)
            setattr(owner, function, beating(getattr(owner, function)))

        spec.loader.exec_module = exec_module
        return spec


beat("start")
sys.meta_path[:0] = [Finder(target) for target in sys.argv[1].split(",")]
sys.argv = [shutil.which(sys.argv[2])] + sys.argv[3:]
runpy.run_path(sys.argv[0], run_name="__main__")
{{ end -}}

{{- define "common.scripts.heartbeat.sh" -}}
# Fails if the heartbeat of a process in this container, or its start without one, is older than $1 seconds, or if a process
# is stopped; the latter is all that it checks if $1 is `any`. Then runs the other arguments as a command, if there are any.
set -euo pipefail
stopped=$(grep --files-with-matches --no-messages '^State:.*(stopped)' /proc/[0-9]*/status || true)
if [ -n "$stopped" ]; then
  echo "stopped: $stopped"
  exit 1
fi
if [ "$1" != any ]; then
  shopt -s nullglob
  printf -v now '%(%s)T' -1
  beats=()
  for file in /tmp/heartbeat.[0-9]*; do
    if [ -d "/proc/${file##*.}" ]; then
      beats+=("$file")
    fi
  done
  for file in "${beats[@]:-/tmp/heartbeat.start}"; do
    written=$(stat --format %Y "$file")
    age=$((now - written))
    if [ "$age" -gt "$1" ]; then
      echo "no heartbeat for $age s: ${file##*.}"
      exit 1
    fi
  done
fi
exec "${@:2}"
{{ end -}}
