"""The module that later releases bring (octavia.wsgi.api)."""
from octavia.api.app import setup_app

application = setup_app(argv=["octavia-wsgi"])
