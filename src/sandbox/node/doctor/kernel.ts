import {mkdtemp, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {exists} from '../../../state/files/exists.ts'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import {command} from '../host/command.ts'
import type {Finding} from './finding.ts'

/**
 * Commands that try each network feature in short-lived namespaces, because a list of modules may be wrong.
 */
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

/**
 * Checks the kernel features that pods need: network interfaces, iptables, and overlayfs in the node's
 * directory.
 */
export async function checkKernel(nodeDirectory: string, hasPrograms: boolean): Promise<readonly Finding[]> {
  if (process.getuid?.() !== 0 || !hasPrograms) return [notChecked()]
  return Promise.all([checkNetwork(), checkBridgeFilter(), checkOverlay(nodeDirectory)])
}

async function checkNetwork(): Promise<Finding> {
  const check = 'network'
  const reason = await failureReason(['unshare', '--net', 'sh', '-c', NETWORK])
  if (reason === undefined)
    return {check, level: 'ok', what: 'bridges, veth pairs and iptables rules can be created'}
  return {
    check,
    level: 'problem',
    what: reason,
    advice:
      'load the modules: modprobe -a bridge veth nf_nat nf_conntrack xt_comment xt_conntrack xt_statistic xt_addrtype xt_MASQUERADE',
  }
}

async function checkBridgeFilter(): Promise<Finding> {
  const check = 'bridge filter'
  if (await exists('/proc/sys/net/bridge/bridge-nf-call-iptables'))
    return {check, level: 'ok', what: 'packets between pods pass through iptables'}
  return {
    check,
    level: 'problem',
    what: 'packets between pods bypass iptables: a pod would get no response from a Service whose pod is on the same bridge',
    advice: 'modprobe br_netfilter',
  }
}

async function checkOverlay(nodeDirectory: string): Promise<Finding> {
  const check = 'overlay'
  const state = dirname(dirname(nodeDirectory))
  await makeDirectory(state)
  const directory = await mkdtemp(join(state, '.doctor-'))
  const reason = await failureReason(['unshare', '--mount', 'sh', '-c', OVERLAY, 'probe', directory])
  await rm(directory, {recursive: true})
  if (reason === undefined) return {check, level: 'ok', what: `image layers can be mounted in ${state}`}
  return {
    check,
    level: 'problem',
    what: `${reason}: image layers cannot be mounted in ${state}`,
    advice: 'modprobe overlay; or set XDG_STATE_HOME to a directory on ext4 or xfs, not itself on an overlay',
  }
}

/** Returns the last output line of a failing command; undefined if it succeeds. */
async function failureReason(argv: readonly string[]): Promise<string | undefined> {
  return command(argv).then(
    () => undefined,
    (error: {readonly log?: readonly string[]; readonly message: string}) =>
      error.log?.findLast((line) => line.trim() !== '') ?? error.message,
  )
}

function notChecked(): Finding {
  return {
    check: 'kernel',
    level: 'info',
    what: 'not checked: the check needs root and all programs of the node',
  }
}
