{{- /* A connection as the administrator of the database, for scripts that include it. */ -}}
{{- define "common.scripts.database" -}}
import pymysql

connection = pymysql.connect(
    host=os.environ["DB_HOST"], port=int(os.environ["DB_PORT"]), connect_timeout=10,
    user=os.environ["DB_ADMIN_USER"], password=os.environ["DB_ADMIN_PASSWORD"],
    {{- if .values.tls.internal }}
    ssl={"ca": "/etc/tls/ca.crt"},
    {{- end }}
)
{{- end -}}

{{- define "common.scripts.db-create.py" -}}
"""Makes databases and their users; says again what is already so. DATABASES: [{name, user, password: a variable}]."""
import json
import os

{{ include "common.scripts.database" . }}
with connection, connection.cursor() as cursor:
    for database in json.loads(os.environ["DATABASES"]):
        name = "`%s`" % database["name"].replace("`", "``")
        account = (database["user"], os.environ[database["password"]])
        cursor.execute("CREATE DATABASE IF NOT EXISTS %s CHARACTER SET utf8mb3" % name)
        cursor.execute("CREATE USER IF NOT EXISTS %s@'%%' IDENTIFIED BY %s", account)
        cursor.execute("ALTER USER %s@'%%' IDENTIFIED BY %s", account)
        cursor.execute("GRANT ALL PRIVILEGES ON " + name + ".* TO %s@'%%'", account[:1])
        print("database %s, user %s" % (database["name"], database["user"]))
{{ end -}}
