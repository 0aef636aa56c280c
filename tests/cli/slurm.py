"""A Slurm cluster of one node on this machine, for as long as a test lasts: no accounting, no systemd."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest

# Requeued tasks wait until the credentials of their last start have expired: two minutes unless
# cred_expire says otherwise.
CONF = """
ClusterName=rtsim
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge/socket,cred_expire=5
CredType=cred/munge
SlurmctldPort={ctld_port}
SlurmdPort={d_port}
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,requeue_delay=1
MaxArraySize=4
ReturnToService=2
KillWait=10
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES MaxTime=60 State=UP PriorityTier=1 GraceTime=20
PartitionName=high Nodes=ALL MaxTime=60 State=UP PriorityTier=10
"""

# What servers say, or Python, where a container or a full machine keeps them from starting.
FORBIDDEN = re.compile("not permitted|permission denied|read-only file system|cgroup|already in use|no space left|"
                       "cannot allocate|temporarily unavailable|too many|resolv|getaddrinfo", re.IGNORECASE)


class Ended(AssertionError):
    """A server that should be there is not."""


def free_ports(count):
    """Held until all are known, so that no two are one."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="rtsim-slurm-", dir="/tmp"))
        self.dir.chmod(0o755)
        self.env = {**os.environ, "SLURM_CONF": str(self.dir / "slurm.conf")}
        self.processes = []

    def start(self):
        munge = self.dir / "munge"
        munge.mkdir(mode=0o755)
        for name in ("state", "spool"):
            (self.dir / name).mkdir()
        user = pwd.getpwnam("munge")
        key = munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        for path in (munge, key):
            os.chown(path, user.pw_uid, user.pw_gid)
        ctld_port, d_port = free_ports(2)
        (self.dir / "slurm.conf").write_text(CONF.format(
            host=socket.gethostname().split(".")[0], dir=self.dir, ctld_port=ctld_port, d_port=d_port))
        self.run_server("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "munged",
                        "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}",
                        f"--log-file={munge}/log", f"--pid-file={munge}/pid", f"--seed-file={munge}/seed")
        self.wait(lambda: (munge / "socket").exists(), seconds=30)
        self.run_server("slurmctld", "-D", "-c")
        self.run_server("slurmd", "-D")
        self.wait(lambda: "idle" in self("sinfo", "--noheader", "--format=%T", check=False), seconds=90)

    def run_server(self, *command):
        log = open(self.dir / f"{command[0]}.out", "w")
        self.processes.append(subprocess.Popen(command, env=self.env, stdout=log, stderr=log))

    def __call__(self, *command, check=True):
        return subprocess.run(command, env=self.env, capture_output=True, text=True, check=check, timeout=60).stdout

    def wait(self, condition, seconds=120):
        deadline = time.monotonic() + seconds
        while not condition():
            if any(p.poll() is not None for p in self.processes):
                raise Ended(self.logs())
            if time.monotonic() > deadline:
                raise TimeoutError(self.logs())
            time.sleep(0.2)

    def logs(self):
        files = [*self.dir.glob("*.log"), *self.dir.glob("*.out"), *self.dir.glob("munge/log")]
        try:
            queue = self("squeue", "--format=%i %T %r", check=False)
        except subprocess.TimeoutExpired:
            queue = "squeue: nobody answers\n"
        return queue + "\n".join(f"== {f.name}\n{f.read_text()[-3000:]}" for f in files)

    def cancel_all(self):
        self("scancel", "--user=root", check=False)
        deadline = time.monotonic() + 20  # a task writes a checkpoint before it ends
        while self("squeue", "--noheader", check=False).strip() and time.monotonic() < deadline:
            time.sleep(0.2)

    def stop(self):
        if len(self.processes) == 3 and all(p.poll() is None for p in self.processes):
            try:
                self.cancel_all()
            except subprocess.TimeoutExpired:
                pass  # nobody answers
        for p in reversed(self.processes):
            p.send_signal(signal.SIGTERM)
        for p in self.processes:
            try:
                p.wait(timeout=20)
            except subprocess.TimeoutExpired:
                p.kill()
        shutil.rmtree(self.dir, ignore_errors=True)


def missing():
    if os.geteuid() != 0:
        return "Slurm's own users can be served by root alone"
    absent = [p for p in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(p)]
    if absent:
        return f"not installed: {', '.join(absent)} (packages slurm-wlm, munge)"
    return "" if "munge" in (u.pw_name for u in pwd.getpwall()) else "there is no user munge, whom its package makes"


def cannot_start(cluster, why):
    """Whether it is the machine that keeps it from starting, and not a mistake of what is set up here."""
    slow = isinstance(why, (TimeoutError, subprocess.TimeoutExpired))
    no_munge = isinstance(why, Ended) and len(cluster.processes) == 1
    return slow or no_munge or bool(FORBIDDEN.search(str(why)))


def one_node():
    """For a fixture. Skips, and says why, where there is no Slurm or where the machine does not let it start."""
    if missing():
        pytest.skip(missing())
    cluster = Cluster()
    try:
        try:
            cluster.start()
        except (Ended, OSError, subprocess.SubprocessError) as why:
            if not cannot_start(cluster, why):
                raise
            pytest.skip(f"Slurm is installed and does not start here: {why}")
        yield cluster
    finally:
        cluster.stop()
