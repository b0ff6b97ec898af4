from webob import Response
from webob.dec import wsgify

from fm.alarms import ALARM, engine


def app_factory(global_conf, **local_conf):
    database = engine()

    @wsgify
    def app(request):
        if request.path_info != "/v1/alarms":
            return Response(json={"versions": ["v1"]})
        with database.connect() as connection:
            return Response(json={"alarms": [dict(row._mapping) for row in connection.execute(ALARM.select())]})

    return app
