"""Prints the domains of a node's libvirt, as JSON, by a read-only connection."""
import json
import subprocess
import sys
import xml.etree.ElementTree as tree


def virsh(*words):
    return subprocess.run(
        ('virsh', '-r', '-q') + words, check=True, capture_output=True, text=True, timeout=60).stdout


def domain(uuid):
    try:
        root = tree.fromstring(virsh('dumpxml', uuid))
        state = virsh('domstate', uuid).strip()
    except subprocess.CalledProcessError:
        return None  # It ended in between.
    return {
        'uuid': uuid,
        'name': root.findtext('name'),
        'state': state,
        'disks': [each.get('name') for each in root.iterfind("./devices/disk/source[@protocol='rbd']")],
    }


try:
    domains = [domain(uuid) for uuid in virsh('list', '--all', '--uuid').split()]
    json.dump({'hostname': virsh('hostname').strip(), 'domains': [each for each in domains if each]}, sys.stdout)
except (subprocess.SubprocessError, OSError) as error:
    sys.exit('%s: %s' % (error, (getattr(error, 'stderr', None) or '').strip()))
