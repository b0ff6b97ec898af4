import {KkCommand} from '../cli/command.ts'
import {serveFlags} from '../cli/overrides/flags.ts'
import {serve} from '../cli/overrides/serve.ts'

export default class Serve extends KkCommand {
  static override summary = 'Serve an environment as web pages, and overrides as a REST API.'
  static override description =
    `The pages show an environment on its cluster: its graph with the health of each release, the plan, drift, history, runs
as they go, and the source of each value. The REST API and the pages also show and change the overrides of kk overrides,
for programs and for users without a shell; without tokens the pages only read. Listens on loopback; any other address
requires TLS and tokens. For overrides, the environment and the facts are read once, at the start. Runs until Ctrl-C or
SIGTERM, and finishes pending requests.`
  static override examples = [
    'kk serve -e environments/all-in-one.yaml',
    'kk serve --facts facts.yaml --listen 127.0.0.1:0',
    'kk serve --facts facts.yaml --listen 0.0.0.0:8443 --tls-cert tls.crt --tls-key tls.key --token-file tokens',
  ]
  static override flags = serveFlags

  override async run(): Promise<void> {
    const {flags} = await this.parse(Serve)
    await serve(flags, this.console.say)
  }
}
