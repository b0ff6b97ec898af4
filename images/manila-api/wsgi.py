"""The module that later releases bring (manila.wsgi.api)."""
from manila.wsgi.wsgi import initialize_application

application = initialize_application()
