#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run tests with one fault after the other, each from the same snapshot: lab/mutate.

  mutate_vm.py FOLDER JOBS LIMITS QEMU ARG... < FAULTS

FAULTS has a line for each fault, "NUMBER ROOM [TEST...]".  For each fault the program prints
a line "NUMBER RESULT" as soon as it has the result: the test that found the fault, or
NOBODY.  A line with number 0 names a test that fails without a fault; it is the last one.
"QEMU ARG..." boots a guest whose first process is lab/guest/agent.  JOBS guests run at the
same time, each with its files in FOLDER/N.  LIMITS is a file of patterns that match a
report of the kernel on the console.

A guest is booted once, and runs KUnit, so the program knows the suites.  Then the emulator
saves it, and restores it before each fault, so state that one fault has corrupted does not
affect the next.  Suites named like the room run first, then the others, then the selftests; the
first one that fails has found the fault.  A case of the room's own suites that says "not ok"
counts at once.  Any other failure must occur again, and must not occur without the fault.  If none
fails, the numbers of the core's objects are compared with those at the snapshot, to find
objects that are left over.  A case that is skipped with a fault, and was not skipped without
one, has failed.
"""
import os
import queue
import re
import select
import socket
import subprocess
import sys
import threading
import time

BOOT_SECONDS = 300
SELFTEST_SECONDS = 120
LIVE_SECONDS = 40
LIVE = '/sys/kernel/debug/perf_events/live'
FAILED = re.compile(r'^ *not ok \d+ (?:- )?([^#\n]*)', re.M)
SKIPPED = re.compile(r'^ *ok \d+ (?:- )?([^#\n]*?) *# SKIP', re.M)


class Gone(Exception):
    """The guest has ended, or does not answer."""


class Guest:
    """A machine with a console, a line to its agent, and the emulator's monitor."""

    def __init__(self, folder, command, reports):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        self.command = command
        self.reports = re.compile('|'.join('(?:%s)' % line for line in reports))
        self.machine = None
        self.monitor = None
        self.rest = b''
        self.limits = {'live': LIVE_SECONDS}
        self.skipped = {}
        self.failed = False
        self.suites = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, more):
        self.stop()
        where = self.path('monitor')
        if os.path.exists(where):
            os.unlink(where)
        open(self.path('console'), 'w').close()
        command = self.command + [
            '-serial', 'file:' + self.path('console'),
            '-chardev', 'stdio,id=user,signal=off', '-serial', 'chardev:user',
            '-monitor', 'unix:%s,server,nowait' % where,
            '-drive', 'if=none,id=state,format=qcow2,file=' + self.path('state')] + more
        with open(self.path('qemu'), 'w') as log:
            self.machine = subprocess.Popen(command, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=log)
        for _ in range(200):
            if os.path.exists(where):
                break
            time.sleep(0.05)
        self.monitor = socket.socket(socket.AF_UNIX)
        self.monitor.connect(where)
        self.prompt()
        self.rest = b''

    def stop(self):
        if self.machine:
            self.machine.kill()
            self.machine.wait()
            self.machine.stdin.close()
            self.machine.stdout.close()
            self.monitor.close()
        self.machine = None

    def prompt(self):
        text = b''
        while not text.endswith(b'(qemu) '):
            piece = self.monitor.recv(4096)
            if not piece:
                raise Gone('the emulator ended')
            text += piece
        return text.decode(errors='replace')

    def order(self, line):
        self.monitor.sendall(line.encode() + b'\n')
        answer = self.prompt()
        if 'Error' in answer:
            sys.exit('%s: %s' % (line, answer))

    def answer(self, seconds):
        """The agent's output up to its next mark."""
        end = time.monotonic() + seconds
        output = self.machine.stdout
        while True:
            found = re.search(rb'^@@ (\d+)\r?\n', self.rest, re.M)
            if found:
                text = self.rest[:found.start()].decode(errors='replace')
                self.rest = self.rest[found.end():]
                return text, int(found.group(1))
            left = end - time.monotonic()
            if left <= 0:
                raise Gone('time limit')
            if select.select([output], [], [], min(left, 1))[0]:
                piece = os.read(output.fileno(), 65536)
                if not piece:
                    raise Gone('no guest')
                self.rest += piece
            elif self.reported():
                raise Gone('report')

    def ask(self, line, seconds):
        try:
            self.machine.stdin.write(line.encode() + b'\n')
            self.machine.stdin.flush()
        except BrokenPipeError:
            raise Gone('no guest') from None
        return self.answer(seconds)

    def reported(self):
        with open(self.path('console'), errors='replace') as file:
            file.seek(self.seen)
            return self.reports.search(file.read())

    def boot(self):
        subprocess.run(['qemu-img', 'create', '-q', '-f', 'qcow2', self.path('state'), '8G'],
                       check=True)
        self.start([])
        self.seen = 0
        self.answer(BOOT_SECONDS)
        names, _ = self.ask('cd /sys/kernel/debug/kunit && echo *', 10)
        self.suites = names.split()
        time.sleep(1)
        self.ask('cat %s >/tmp/live' % LIVE, 10)
        self.order('savevm ready')

    def back(self):
        """Restore the snapshot after the boot."""
        if not self.machine or self.machine.poll() is not None:
            self.start(['-loadvm', 'ready'])
        else:
            self.order('loadvm ready')
            while select.select([self.machine.stdout], [], [], 0)[0]:
                if not os.read(self.machine.stdout.fileno(), 65536):
                    raise Gone('no guest')
        self.rest = b''
        self.seen = os.path.getsize(self.path('console'))

    def run(self, test, command, limit):
        """Return why a test failed, or nothing; self.failed: the test itself said "not ok"."""
        begin = time.monotonic()
        self.failed = False
        try:
            text, status = self.ask(command, self.limits.get(test, limit))
        except Gone as reason:
            time.sleep(1)
            report = self.reported()
            return '%s: %s' % (test, report.group(0) if report else reason)
        if self.reported():
            return '%s: %s' % (test, self.reported().group(0))
        self.limits.setdefault(test, 3 * (time.monotonic() - begin) + 10)
        failed = FAILED.search(text)
        if failed:
            self.failed = True
            return '%s: %s' % (test, failed.group(1).strip())
        skipped = set(SKIPPED.findall(text))
        more = skipped - self.skipped.setdefault(test, skipped)
        if more:
            return '%s: skipped: %s' % (test, min(more))
        if status not in (0, 4):
            last = text.strip().splitlines()[-1:] or ['no output']
            return '%s: exit status %d, %s' % (test, status, last[0].strip())
        return ''

    def test(self, name):
        if name.startswith('self/'):
            command = 'PERF_TEST_STRICT=1 timeout -s KILL %d /tests/%s' % (
                SELFTEST_SECONDS, name[len('self/'):])
            return self.run(name, command, SELFTEST_SECONDS + 10)
        if name == 'live':
            return self.run(name, '/compare_live /tmp/live', LIVE_SECONDS)
        place = '/sys/kernel/debug/kunit/' + name
        return self.run(name, 'echo 1 >%s/run && cat %s/results' % (place, place), 120)

    def put_in(self, number):
        """Put in a fault; a guest that does not answer, as on a busy host, is restarted."""
        for _ in range(3):
            try:
                self.back()
                self.ask('echo %d >/sys/module/kernel/parameters/perf_mutant' % number, 30)
                return
            except Gone:
                self.stop()
        sys.exit('the guest does not come back: %s' % self.path('console'))

    def is_noticed(self, number, name):
        """Tests that measure time may fail on a busy host: check that the test passes without
        the fault, and fails again with it.  With number 0 there is no fault."""
        self.put_in(0)
        passes = number == 0 or not self.test(name)
        self.put_in(number)
        if passes and self.test(name):
            return True
        self.put_in(number)
        return False

    def judge(self, number, room, tests):
        self.put_in(number)
        near = [s for s in self.suites if room and room.split('_')[0] in s]
        for name in near + [s for s in self.suites if s not in near] + tests + ['live']:
            why = self.test(name)
            if why and (self.failed and name in near + ['live'] or
                        self.is_noticed(number, name)):
                return why
        return 'NOBODY'


def work(guest, faults, baseline, lock):
    guest.boot()
    why = guest.judge(0, '', baseline)
    if why != 'NOBODY':
        with lock:
            print('0', why, flush=True)
        return
    while not faults.empty():
        try:
            number, room, tests = faults.get_nowait()
        except queue.Empty:
            break
        why = guest.judge(number, room, tests)
        with lock:
            print(number, why, flush=True)


def begin(guest, *args):
    try:
        work(guest, *args)
    finally:
        guest.stop()


def main(folder, jobs, reports, *command):
    faults, baseline = queue.Queue(), []
    for line in sys.stdin:
        number, room, *tests = line.split()
        faults.put((int(number), room, tests))
        baseline += [test for test in tests if test not in baseline]
    with open(reports, encoding='utf-8') as file:
        patterns = [line.rstrip('\n') for line in file]
    lock = threading.Lock()
    workers = []
    for job in range(int(jobs)):
        guest = Guest(os.path.join(folder, str(job)), list(command), patterns)
        workers.append(threading.Thread(target=begin, args=(guest, faults, baseline, lock)))
        workers[-1].start()
    for worker in workers:
        worker.join()


if len(sys.argv) < 5:
    sys.exit(__doc__)
main(*sys.argv[1:])
