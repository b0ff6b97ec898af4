import {KkCommand} from '../cli/command.ts'
import {serveFlags} from '../cli/overrides/flags.ts'
import {serve} from '../cli/overrides/serve.ts'

export default class Serve extends KkCommand {
  static override summary = 'Serve overrides over REST, and as pages for a browser.'
  static override description =
    `The same overrides that kk overrides sees and changes, for programs and for people without a shell. It listens on loopback;
anywhere else it needs TLS and tokens. The environment and the facts are read once, when it starts. It runs until
Ctrl-C or SIGTERM, and answers what it has begun.`
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
