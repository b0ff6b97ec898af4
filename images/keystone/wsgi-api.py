"""keystone.wsgi.api as releases since 2024.2 have it."""
from keystone.server.wsgi import initialize_public_application

application = initialize_public_application()
