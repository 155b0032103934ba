"""The JavaScript client of npm: an informer, a watch, a scale by JSON patch."""
import re
import shutil
import subprocess

from .served import Served

VERSION = "1"  # 2 needs a node with zstd, 22.15 and later
SCRIPT = """
import * as k8s from '@kubernetes/client-node';

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const namespace = 'default';
console.log('nodes', (await core.listNode()).items.map((node) => node.metadata.name).join(' '));

let stopped = false;
const seen = {add: 0, update: 0, delete: 0};
const running = new Set();
const informer = k8s.makeInformer(
  config, '/api/v1/namespaces/default/pods', () => core.listNamespacedPod({namespace}));
for (const verb of Object.keys(seen)) informer.on(verb, (pod) => {
  ++seen[verb];
  if (verb === 'delete') running.delete(pod.metadata.name);
  else if (pod.status.phase === 'Running') running.add(pod.metadata.name);
});
informer.on('error', (error) => {
  if (!stopped) console.log('error', error.code ?? error.message);
});
await informer.start();
const until = async (what, done) => {
  for (let i = 0; i < 300 && !done(); ++i) await new Promise((next) => setTimeout(next, 100));
  console.log(what, done());
};
const template = {metadata: {labels: {a: 'b'}}, spec: {containers: [{name: 'c', image: 'i'}]}};
const body = {metadata: {name: 'web'},
  spec: {replicas: 2, selector: {matchLabels: {a: 'b'}}, template}};
await apps.createNamespacedReplicaSet({namespace, body});
await until('two run', () => running.size === 2);
const [first] = running;
await core.deleteNamespacedPod({namespace, name: first});
await until('replaced', () => seen.delete === 1 && running.size === 2 && !running.has(first));
console.log('informer has', informer.list(namespace).length);
await apps.patchNamespacedReplicaSetScale(
  {namespace, name: 'web', body: [{op: 'replace', path: '/spec/replicas', value: 3}]},
  k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.JsonPatch));
await until('three run', () => running.size === 3);
stopped = true;
await informer.stop();
const watch = new k8s.Watch(config);
const types = [];
const request = await watch.watch('/api/v1/namespaces/default/pods', {timeoutSeconds: 1},
  (type) => types.push(type), () => console.log('watched', types.join(' ')));
await until('the watch ends', () => types.length >= 3);
await new Promise((next) => setTimeout(next, 500));
request.abort();
try {
  await core.readNamespacedPod({namespace, name: 'nope'});
} catch (error) {
  console.log('missing', error.code);
}
process.exit(0);
"""
SAYS = [r"nodes node-1 node-2 node-3", r"two run true", r"replaced true", r"informer has 2",
        r"three run true", r"watched ADDED ADDED ADDED", r"missing 404"]


def missing(_):
    return "" if shutil.which("npm") else "there is no npm"


def run(options):
    home = options.build / "javascript"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "node_modules").exists():
        (home / "package.json").write_text("{}")
        subprocess.run(["npm", "install", "--silent", f"@kubernetes/client-node@{VERSION}"],
                       check=True, cwd=home, stdout=subprocess.DEVNULL)
    served = Served(options, "javascript")
    script = home / "client.mjs"
    script.write_text(SCRIPT)
    done = subprocess.run(["node", script], env=served.environment, capture_output=True, text=True,
                          timeout=120)
    for wanted in SAYS:
        served.judge(wanted, re.search(wanted, done.stdout), done.stdout + done.stderr)
    served.judge("no error", "error" not in done.stdout, done.stdout)
    return served.end()
