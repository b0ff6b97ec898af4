"""The module that later releases bring (magnum.wsgi.api)."""
from magnum.api.app import build_wsgi_app

application = build_wsgi_app()
