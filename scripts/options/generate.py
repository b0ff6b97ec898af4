"""Prints what oslo-config-generator knows of the options of a service, as JSON: generate.py DISTRIBUTION [OTHER SERVICE...]

Of all namespaces that are installed: those of the service and of its libraries, and of no other service.
"""
import importlib.metadata
import json
import re
import sys
import tempfile

from oslo_config import generator


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


others = {canonical(name) for name in sys.argv[2:]}
namespaces = []
for point in importlib.metadata.entry_points(group="oslo.config.opts"):
    if canonical(point.dist.name) in others or "tests" in point.name:
        continue
    try:
        point.load()
    except ImportError as error:
        # The package of a driver that the image does not have, or a namespace whose module was removed upstream.
        print("%s: %s" % (point.name, error), file=sys.stderr)
    else:
        namespaces.append(point.name)
namespaces.sort()
with tempfile.NamedTemporaryFile() as output:
    words = ["--namespace=%s" % name for name in namespaces]
    failed = generator.main(["--format=json", "--output-file=" + output.name, *words])
    if failed:
        sys.exit(failed)
    print(json.dumps({"namespaces": namespaces, "options": json.load(output)["options"]}))
