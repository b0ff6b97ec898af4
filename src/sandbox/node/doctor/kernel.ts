import {mkdtemp, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {exists} from '../../../state/files/exists.ts'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import {command} from '../host/command.ts'
import type {Finding} from './finding.ts'

/** Commands that try each feature of the network, in namespaces that end with them: a list of modules may be wrong. */
const NETWORK = `set -e
ip link add kkprobe0 type bridge
ip link add kkprobe1 type veth peer name kkprobe2
ip link set kkprobe1 master kkprobe0
iptables --wait --table nat --append POSTROUTING --match comment --comment kk --jump MASQUERADE
iptables --wait --append FORWARD --match conntrack --ctstate RELATED --jump ACCEPT
iptables --wait --table nat --append PREROUTING --match statistic --mode random --probability 0.5 --jump RETURN
iptables --wait --table nat --append PREROUTING --match addrtype --dst-type LOCAL --jump RETURN
iptables --wait --table mangle --list --numeric`

const OVERLAY = `set -e
cd "$1"
mkdir lower upper work merged
mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged`

/** Checks what the kernel does for pods: network interfaces, iptables, overlay file systems at the node's files. */
export async function checkKernel(home: string, hasPrograms: boolean): Promise<readonly Finding[]> {
  if (process.getuid?.() !== 0 || !hasPrograms) return [notChecked()]
  return Promise.all([checkNetwork(), checkBridgeFilter(), checkOverlay(home)])
}

async function checkNetwork(): Promise<Finding> {
  const check = 'network'
  const refusal = await refusalOf(['unshare', '--net', 'sh', '-c', NETWORK])
  if (refusal === undefined)
    return {check, level: 'ok', what: 'bridges, pairs of interfaces and the rules of iptables can be made'}
  return {
    check,
    level: 'problem',
    what: refusal,
    advice:
      'load the modules: modprobe -a bridge veth nf_nat nf_conntrack xt_comment xt_conntrack xt_statistic xt_addrtype xt_MASQUERADE',
  }
}

async function checkBridgeFilter(): Promise<Finding> {
  const check = 'bridge filter'
  if (await exists('/proc/sys/net/bridge/bridge-nf-call-iptables'))
    return {check, level: 'ok', what: 'packets between pods pass iptables'}
  return {
    check,
    level: 'problem',
    what: 'packets between pods do not pass iptables: a pod would get no answer from a Service whose pod is beside it',
    advice: 'modprobe br_netfilter',
  }
}

async function checkOverlay(home: string): Promise<Finding> {
  const check = 'overlay'
  const state = dirname(dirname(home))
  await makeDirectory(state)
  const directory = await mkdtemp(join(state, '.doctor-'))
  const refusal = await refusalOf(['unshare', '--mount', 'sh', '-c', OVERLAY, 'probe', directory])
  await rm(directory, {recursive: true})
  if (refusal === undefined) return {check, level: 'ok', what: `layers of images can be mounted in ${state}`}
  return {
    check,
    level: 'problem',
    what: `${refusal}: layers of images cannot be mounted in ${state}`,
    advice: 'modprobe overlay; or set XDG_STATE_HOME to a directory on ext4 or xfs, not itself on an overlay',
  }
}

/** Returns the last line of the output of a command that fails; undefined if it succeeds. */
async function refusalOf(argv: readonly string[]): Promise<string | undefined> {
  return command(argv).then(
    () => undefined,
    (error: {readonly log?: readonly string[]; readonly message: string}) =>
      error.log?.findLast((line) => line.trim() !== '') ?? error.message,
  )
}

function notChecked(): Finding {
  return {check: 'kernel', level: 'info', what: 'not checked: it needs root, and the programs'}
}
