from keystonemiddleware.auth_token import AuthProtocol
from stand_in import CONF


class AuthTokenMiddleware:
    """Asks keystone about the token of each request but those to `acl_public_routes`."""

    @classmethod
    def factory(cls, global_conf, acl_public_routes="", **local_conf):
        public = [route.strip() for route in acl_public_routes.split(",")]

        def guarded(application):
            protected = AuthProtocol(application, {"oslo_config_config": CONF})

            def ask(environ, start_response):
                is_public = (environ["PATH_INFO"].rstrip("/") or "/") in public
                return (application if is_public else protected)(environ, start_response)

            return ask

        return guarded
