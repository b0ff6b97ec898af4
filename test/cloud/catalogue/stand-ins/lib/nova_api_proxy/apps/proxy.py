from wsgiref.util import is_hop_by_hop

from stand_in import CONF
from webob import Request
from webob.client import send_request_app


class Proxy:
    """Asks nova what it was asked, and says in the answer that it was there."""

    @classmethod
    def factory(cls, global_conf, **local_conf):
        return cls()

    def __call__(self, environ, start_response):
        request = Request({
            **environ,
            "SERVER_NAME": CONF.osapi_compute_listen,
            "SERVER_PORT": str(CONF.osapi_compute_listen_port),
        })
        answer = request.get_response(send_request_app)
        for name in filter(is_hop_by_hop, list(answer.headers)):
            del answer.headers[name]
        answer.headers["X-Stand-In"] = "nova-api-proxy"
        return answer(environ, start_response)
