"""What the programs share: their options, and a server of what a paste file describes."""
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from oslo_config import cfg
from paste.deploy import loadapp

CONF = cfg.CONF


def read(options, group=None):
    CONF.register_opts(options, group)
    CONF(sys.argv[1:])


def serve(name, paste_config, host, port):
    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

    make_server(host, port, loadapp("config:" + paste_config, name=name), Server).serve_forever()
