import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {localOverridesFlags} from '../cli/overrides/flags.ts'
import {serve} from '../cli/overrides/serve.ts'

export default class Serve extends KkCommand {
  static override summary = 'Serve overrides over REST, and as pages for a browser.'
  static override description =
    `The same overrides that kk overrides sees and changes, for programs and for people without a shell. It listens on loopback;
anywhere else it needs TLS and tokens. The environment and the facts are read once, when it starts. It runs until
Ctrl-C or SIGTERM, and answers what it has begun.`
  static override examples = [
    '<%= config.bin %> serve -e environments/all-in-one.yaml',
    '<%= config.bin %> serve --facts facts.yaml --listen 127.0.0.1:0',
    '<%= config.bin %> serve --facts facts.yaml --listen 0.0.0.0:8443 --tls-cert tls.crt --tls-key tls.key --token-file tokens',
  ]
  static override flags = {
    listen: Flags.string({
      summary: 'Where to listen; port 0 is any that is free.',
      helpValue: 'HOST:PORT',
      default: '127.0.0.1:8080',
    }),
    'token-file': Flags.string({
      summary:
        'Who may read and write: lines "read TOKEN [NAME]" and "write TOKEN [NAME]" (also KK_TOKEN_FILE). KK_TOKEN is a single one that may write.',
      helpValue: 'FILE',
    }),
    'tls-cert': Flags.string({
      summary: 'The certificate, as PEM.',
      helpValue: 'FILE',
      dependsOn: ['tls-key'],
    }),
    'tls-key': Flags.string({summary: 'Its key, as PEM.', helpValue: 'FILE', dependsOn: ['tls-cert']}),
    'allow-secret-overrides': Flags.boolean({
      summary: 'Take overrides of passwords and keys that kk keeps, too.',
    }),
    'rate-limit': Flags.integer({
      summary: 'How many requests one address may send in a minute; more are answered with 429.',
      helpValue: 'N',
      default: 60_000,
      min: 1,
    }),
    'log-level': Flags.option({
      summary: 'What to log on standard error, as lines of JSON.',
      options: ['silent', 'error', 'warn', 'info', 'debug'] as const,
      default: 'info',
    })(),
    ...localOverridesFlags,
  }

  override async run(): Promise<void> {
    const {flags} = await this.parse(Serve)
    await serve(flags, this.console.say)
  }
}
