{{- /*
uwsgi as kolla configures it for WSGI APIs, but its log is on stderr: .params {module, endpoint}.
*/ -}}
{{- define "common.config.block.uwsgi" -}}
options:
  uwsgi:
    module: {{ .params.module }}
    http: 0.0.0.0:{{ include "common.endpoints.port" (dict "ctx" .ctx "type" .params.endpoint "interface" "service") }}
    uid: {{ .ctx.user.name }}
    gid: {{ .ctx.user.name }}
    processes: 2
    # Loads the HTTP server if it is a plugin, as in Debian's uwsgi, and not built in.
    autoload: true
    plugins: python3
    plugins-dir: /usr/lib/uwsgi/plugins
    master: true
    lazy-apps: true
    need-app: true
    enable-threads: true
    thunder-lock: true
    buffer-size: 65535
    socket-timeout: 30
    worker-reload-mercy: 60
    die-on-term: true
    exit-on-reload: false
    hook-master-start: unix_signal:15 gracefully_kill_them_all
    add-header: "Connection: close"
{{- end -}}
