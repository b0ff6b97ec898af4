class Acceptor:
    """A filter that changes nothing."""

    @classmethod
    def factory(cls, global_conf, **local_conf):
        return lambda application: application
