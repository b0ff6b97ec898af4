"""Prints the images of a service's pools in Ceph, with their clients, as JSON; null if it has no
pool. Changes nothing.

INPUT has `files`, the service's configuration, `pools` and `users`, the options that name them, and
`watchers`, whether each image is opened to list its clients.
"""
import configparser
import glob
import json
import sys


def options():
    parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    parser.read([path for pattern in INPUT['files'] for path in sorted(glob.glob(pattern))])
    for section in parser.sections() + ['DEFAULT']:
        for pool in INPUT['pools']:
            if parser.has_option(section, pool):
                user = next(
                    (parser.get(section, each) for each in INPUT['users'] if parser.has_option(section, each)), None)
                yield section, parser.get(section, pool), user or INPUT['user']


def pool_images(pool, user):
    with rados.Rados(conffile='/etc/ceph/ceph.conf', rados_id=user) as cluster:
        cluster.conf_set('rados_osd_op_timeout', '30')
        with cluster.open_ioctx(pool) as context:
            client = cluster.get_instance_id()
            images = {name: clients(context, name, client) for name in rbd.RBD().list(context)}
            return {name: each for name, each in images.items() if each is not None}


def clients(context, name, own):
    """Returns the clients of an image; None if it was deleted in between."""
    if not INPUT['watchers']:
        return []
    try:
        with rbd.Image(context, name, read_only=True) as image:
            watchers = [each for each in image.watchers_list() if each['id'] != own]
    except rbd.ImageNotFound:
        return None
    return [{'address': each['addr'].split('/')[0].rsplit(':', 1)[0], 'client': each['id']} for each in watchers]


OPTIONS = list(options())
SECTIONS = {section: pool for section, pool, _ in OPTIONS}
if not OPTIONS:  # Another storage than Ceph; its image may lack the libraries.
    print('null')
    sys.exit()

import rados
import rbd

try:
    pools = {pool: pool_images(pool, user) for pool, user in {(pool, user) for _, pool, user in OPTIONS}}
    json.dump({'pools': pools, 'sections': SECTIONS}, sys.stdout)
except (rados.Error, rbd.Error) as error:
    sys.exit('%s: %s' % (type(error).__name__, error))
