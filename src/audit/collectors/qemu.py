"""Prints the version of QEMU that each instance of a node runs, and the one that the next instance will run, as
JSON. The processes are those of the node.
"""
import filecmp
import glob
import json
import os
import re
import subprocess
import sys

STARTED = re.compile(r'starting up libvirt version: .* qemu version: ([0-9.]+)\s*([^,]*),')
GUEST = re.compile(r'guest=([^,]+)')


def installed(path):
    printed = subprocess.run((path, '--version'), check=True, capture_output=True, text=True, timeout=60).stdout
    number, package = re.search(r'version ([0-9.]+)(?: \((.*)\))?', printed).groups()
    return text(number, package)


def text(number, package):
    """Returns the version of the package, as libvirt and QEMU write it: `10.0.2 (Debian 1:10.0.2+ds-1)`."""
    return '%s (%s)' % (number, package.strip()) if package else number


def started(domain):
    """Returns the version that libvirt logged when the instance was last started here; None if it is not known."""
    try:
        with open('/var/log/libvirt/qemu/%s.log' % domain, errors='replace') as log:
            found = [match.groups() for match in map(STARTED.search, log) if match]
    except OSError:
        return None
    return text(*found[-1]) if found else None


def guests(binary):
    for process in glob.glob('/proc/[0-9]*'):
        try:
            with open(process + '/cmdline', 'rb') as file:
                words = file.read().decode(errors='replace').split('\0')
            program = os.path.basename(words[0])
            if not (program.startswith('qemu-system') or program == 'qemu-kvm') or '-uuid' not in words:
                continue
            name = GUEST.search(words[words.index('-name') + 1]).group(1)
            # The image may be another one by now; the program that runs is still readable.
            is_current = filecmp.cmp(process + '/exe', binary, shallow=False)
        except (FileNotFoundError, ProcessLookupError):
            continue  # It ended in between.
        yield {
            'uuid': words[words.index('-uuid') + 1],
            'name': name,
            'version': started(name),
            'isCurrent': is_current,
        }


try:
    PROGRAMS = ('/usr/bin/qemu-system-' + os.uname().machine, '/usr/libexec/qemu-kvm')
    binary = next((path for path in PROGRAMS if os.path.exists(path)), None)
    if binary is None:
        sys.exit('the image has none of ' + ', '.join(PROGRAMS))
    json.dump({'version': installed(binary), 'guests': list(guests(binary))}, sys.stdout)
except (subprocess.SubprocessError, OSError) as error:
    sys.exit('%s: %s' % (type(error).__name__, error))
