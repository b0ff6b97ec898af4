"""Prints the members of RabbitMQ and its replicated queues and streams, as JSON."""
import json
import subprocess
import sys

EXPRESSION = '''
Value = fun({resource, Host, _, Name}) -> [Host, Name]; ('') -> null; (none) -> null; (Other) -> Other end,
Info = fun(Queue) -> maps:from_list([{Key, Value(Each)} || {Key, Each} <-
    rabbit_amqqueue:info(Queue, [name, type, state, members, online, leader])]) end,
Types = [rabbit_quorum_queue, rabbit_stream_queue],
Queues = [Queue || Queue <- rabbit_amqqueue:list(), lists:member(amqqueue:get_type(Queue), Types)],
iolist_to_binary(rabbit_json:encode(#{members => rabbit_nodes:list_members(),
    running => rabbit_nodes:list_running(), queues => lists:map(Info, Queues)})).
'''

try:
    answer = subprocess.run(
        ('rabbitmqctl', '--quiet', '--formatter', 'json', 'eval', EXPRESSION),
        check=True, capture_output=True, text=True, timeout=60).stdout
    sys.stdout.write(json.loads(answer)['value'])
except (subprocess.SubprocessError, OSError) as error:
    sys.exit('%s: %s' % (error, (getattr(error, 'stderr', None) or '').strip()))
