"""placement.wsgi.api as releases since 2024.2 have it."""
from placement.wsgi import init_application

application = init_application()
