"""The module that later releases bring (barbican.wsgi.api)."""
from barbican.api.app import get_api_wsgi_script

application = get_api_wsgi_script()
