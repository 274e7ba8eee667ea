#!/usr/bin/env python3
"""Runs the hostile cells round after round, and holds what they make the service itself spend to contract H6: its memory at
the peak, and its processor time against what was charged to the runs. Arguments: the folder of the cells, the number of
rounds, and then arguments for the cells' own runner. with-service.sh says which service."""
import importlib.util, os, sys, threading, time

MAX_PEAK = 256 << 20  # bytes
MAX_RATIO = 2  # processor time of the service for each second that was charged


class Meter:
    """What a process has used, and what its answers say was charged."""

    def __init__(self, pid):
        self.pid, self.lock, self.runs, self.others = pid, threading.Lock(), {}, 0.0
        self.began = self.processor_time()

    def processor_time(self):
        # The kernel's clock of a whole process, as clock_getcpuclockid(3) makes it.
        return time.clock_gettime((~self.pid << 3) | 2)

    def peak(self):
        """Bytes of memory that the process had at most."""
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))

    def note(self, answer):
        """Counts what an answer says. A run's answers each tell what it has used so far in all."""
        if not isinstance(answer, dict) or not isinstance(answer.get("telemetry"), dict):
            return
        used = answer["telemetry"].get("runtime", {})
        charged = (used.get("cpuMs", 0) + used.get("serviceMs", 0)) / 1000
        with self.lock:
            if answer.get("runId"):
                self.runs[answer["runId"]] = max(charged, self.runs.get(answer["runId"], 0))
            else:
                self.others += charged

    def report(self):
        """Says whether the bounds hold."""
        spent, charged, peak = self.processor_time() - self.began, self.others + sum(self.runs.values()), self.peak()
        print(f"the service: {peak >> 20} MiB at its peak; {spent:.2f} s of its processor time for {charged:.2f} s that were charged "
              f"({spent / max(charged, 1e-3):.2f})", flush=True)
        return peak < MAX_PEAK and spent < MAX_RATIO * charged


def runner(folder):
    """The cells' own runner, as a module."""
    spec = importlib.util.spec_from_file_location("hostile", os.path.join(folder, "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def metered(call, meter):
    """A request whose answer is counted."""
    def request(*args, **options):
        answer = call(*args, **options)
        meter.note(answer[2])
        return answer
    return request


def main():
    folder, rounds, rest = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    hostile, pid = runner(folder), int(os.environ["CODECELL_PID"])
    request, bad = hostile.Api.call, 0
    sys.argv = [sys.argv[0], "--base", os.environ["CODECELL_SERVER"], "--pid", str(pid), *rest]
    for n in range(1, rounds + 1):
        print(f"round {n} of {rounds}", flush=True)
        meter = Meter(pid)
        hostile.Api.call = metered(request, meter)
        try:
            hostile.main()
        except SystemExit as end:
            bad += bool(end.code)
        bad += not meter.report()
    print(f"{rounds} rounds, {bad} faults")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
