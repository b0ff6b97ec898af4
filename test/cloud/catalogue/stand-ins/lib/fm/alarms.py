"""The table of alarms."""
import sqlalchemy
from oslo_config import cfg
from stand_in import CONF

OPTIONS = [cfg.StrOpt("connection", secret=True)]
METADATA = sqlalchemy.MetaData()
ALARM = sqlalchemy.Table(
    "alarm",
    METADATA,
    sqlalchemy.Column("uuid", sqlalchemy.String(36), primary_key=True),
    sqlalchemy.Column("alarm_id", sqlalchemy.String(255)),
)


def engine():
    return sqlalchemy.create_engine(CONF.database.connection, pool_pre_ping=True)
