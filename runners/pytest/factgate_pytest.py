"""What factgate's pytest probe does.

It watches, and appends one JSON line per event to a file of its own in
FACTGATE_RUN_DIR. It changes nothing: no option, no report, no output, no exit status; only byte-code that may be of an
older source is compiled again. Python 3.6 to 3.14, pytest 5 to 9.

A case is written once, when its last phase has been reported, with the worst that its phases showed. The closing line
is written only after pytest_cmdline_main has returned, with the status that pytest.main returns; whatever ends the
process earlier (os._exit, sys.exit in a hook, a signal) leaves it out, and the results are then known to be incomplete.
It is sealed with a secret of this run, which tests do not find in their environment: a test that writes lines into the
file, or another file in its place, cannot write the end.
"""

import importlib.machinery
import importlib.util
import json
import os
import re
import sys
import traceback

import pytest

try:  # hashlib loads OpenSSL, which takes longer than all the rest of this file
    from _sha2 import sha256
except ImportError:
    try:
        from _sha256 import sha256
    except ImportError:
        from hashlib import sha256

HEAD = 8000
TAIL = 8000
LINE = 2000


def _once(text, limit=LINE):
    """The first line, bounded."""
    lines = str(text).strip().splitlines()
    return lines[0][:limit] if lines else ""


def _capped(text):
    text = str(text)
    if len(text) <= HEAD + TAIL:
        return text
    return "%s\n[... %d characters left out ...]\n%s" % (text[:HEAD], len(text) - HEAD - TAIL, text[-TAIL:])


def _young(source, cached):
    """Whether byte-code is older than its source, or was written within two seconds of it. Python takes byte-code for the
    source's when the whole seconds and the size are equal, so that an edit right afterwards can go unseen, and so can
    another text that was put in place with the old time: the time of the file's own last change (ctime) shows that.
    Installed packages are compiled as they are unpacked, and nobody edits them."""
    if os.sep + "site-packages" + os.sep in source or source.startswith(os.path.dirname(os.__file__) + os.sep):
        return False
    try:
        at = os.stat(source)
        return os.stat(cached).st_mtime - max(at.st_mtime, at.st_ctime) < 2
    except (OSError, TypeError):
        return False


def _distrust():
    """Young byte-code is compiled again, by Python's import and by pytest's rewriting of asserts."""
    loader = importlib.machinery.SourceFileLoader
    stats = loader.path_stats

    def path_stats(self, path):
        found = stats(self, path)
        try:
            if _young(str(path), importlib.util.cache_from_source(str(path))):
                # Equal to no time that is in any byte-code; it also goes into what is compiled now, which the next run
                # therefore compiles once more.
                found = dict(found, mtime=int.from_bytes(os.urandom(4), "little"))
        except Exception:
            pass
        return found

    loader.path_stats = path_stats
    try:
        from _pytest.assertion import rewrite

        read = rewrite._read_pyc

        def read_pyc(source, pyc, *rest, **named):
            return None if _young(str(source), str(pyc)) else read(source, pyc, *rest, **named)

        rewrite._read_pyc = read_pyc
    except (ImportError, AttributeError):
        pass  # a pytest that works otherwise


def _hmac(key, message, hash=sha256):
    """HMAC-SHA256 in hex, RFC 2104."""
    key = (hash(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = hash(bytes(b ^ 0x36 for b in key) + message).digest()
    return hash(bytes(b ^ 0x5C for b in key) + inner).hexdigest()


class _Stream(object):
    """Appends lines to a file. The file is opened for each line: tests close or reuse descriptors that are not theirs.

    The functions are bound here, so that a test that replaces os.open or json.dumps does not reach them.
    """

    def __init__(self, directory, secret, _open=os.open, _write=os.write, _close=os.close, _dumps=json.dumps,
                 _pid=os.getpid, _hash=sha256, _hmac=_hmac):
        self._open, self._write, self._close, self._dumps, self._getpid = _open, _write, _close, _dumps, _pid
        self._sum = _hash()
        self._seal = lambda: _hmac(secret, self._sum.hexdigest().encode("ascii"))
        self._owner = _pid()
        self._waiting = b""
        self._started = False
        nonce = "".join("%02x" % b for b in bytearray(os.urandom(6)))
        self._path = os.path.join(directory, "pytest-%d-%s.probe" % (self._owner, nonce))
        self._flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        self._create = self._flags | os.O_CREAT | os.O_EXCL

    def put(self, event, **fields):
        if self._getpid() != self._owner:  # a fork of a test
            return
        line = {"e": event}
        line.update((k, v) for k, v in fields.items() if v not in (None, "", []))
        if event == "end":
            line["seal"] = self._seal()
        try:
            data = self._dumps(line, sort_keys=False).encode("ascii") + b"\n"
            self._sum.update(data)
            self._waiting += data
            fd = self._open(self._path, self._flags if self._started else self._create, 0o600)
            self._started = True
            try:
                while self._waiting:
                    self._waiting = self._waiting[self._write(fd, self._waiting):]
            finally:
                self._close(fd)
        except (OSError, ValueError):
            pass  # kept for the next line; without the closing line the results are incomplete, and never green


class _Case(object):
    """What was reported of one test so far."""

    def __init__(self):
        self.reports = []
        self.attempts = 1
        self.again = False
        self.children = 0
        self.failed_children = 0


class _Probe(object):
    def __init__(self, config, stream, run_dir, secret):
        self.config = config
        self.stream = stream
        self.run_dir, self.secret = run_dir, secret
        self.cases = {}
        self.names = {}
        self.failed = 0
        self.collection = 0
        self.planned, self.ended = None, 0  # tests, each of which may be several cases
        self.interrupted, self.dry = False, False
        self.session = None
        self.first = None
        self.finished = False
        self.begun = False  # pytest_cmdline_main was called: from there on it speaks for the end
        self.raised = {}
        self.remembering = None  # the option by which the last run decides what runs now

    # -- the run ------------------------------------------------------------------------------------------------

    def refused(self):
        """Called when the configuration is given up. Before any session pytest.main makes a 4 or a 3 of it."""
        if self.begun:
            return
        self.leave()
        error = sys.exc_info()[1]
        if isinstance(error, pytest.UsageError):
            self.stream.put("end", status=4)
        elif type(error).__name__ == "ConftestImportFailure":
            self._conftest(error)
            self.stream.put("end", status=4)
        elif type(error).__name__ == "PluginImportFailure":  # pytest 9.2
            self.stream.put("end", status=3)

    def leave(self):
        """What this process starts from now on, a second pytest.main included, is a sibling."""
        if os.environ.get("FACTGATE_NESTED") == self.run_dir:
            del os.environ["FACTGATE_NESTED"]
            if self.secret is not None:
                os.environ["FACTGATE_SEAL"] = self.secret

    def _conftest(self, error):
        """A conftest.py that cannot be loaded: the code is broken, not the call."""
        path, cause = getattr(error, "path", None), getattr(error, "cause", None)
        if cause is None:  # before pytest 8.1
            cause = error.excinfo[1]
        file, line = str(path), None
        at = cause.__traceback__
        while at is not None:
            if self._ours(at.tb_frame.f_code.co_filename):
                file, line = at.tb_frame.f_code.co_filename, at.tb_lineno
            at = at.tb_next
        if isinstance(cause, SyntaxError) and cause.filename:
            file, line = cause.filename, cause.lineno
        text = "".join(traceback.format_exception(type(cause), cause, cause.__traceback__))
        self.stream.put("outside", kind="collection", where=self._path(path) or "conftest.py",
                        message=_once("%s: %s" % (type(cause).__name__, cause)), text=_capped(text),
                        file=self._path(file), line=line)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config):
        self.begun = True
        self._dry(config)
        try:
            outcome = yield
            self._end(outcome)
        finally:
            self.leave()

    def _end(self, outcome):
        try:
            status = outcome.get_result()
        except pytest.UsageError:  # raised again by pluggy when this wrapper has ended; pytest.main makes a 4 of it
            self.stream.put("end", status=4)
            return
        except BaseException:
            return
        if self.session is not None and not self.finished:
            return
        status = int(status) if status is not None else 0
        if self.first not in (None, 0, 5) and status == 0:
            self.stream.put("problem", code="exit_rewritten", weight="contradict",
                            detail="pytest ended with %d, and a hook made it 0" % self.first)
        elif self.first is not None and self.first != status:
            self.stream.put("note", text="a hook made pytest's exit status %d of %d" % (status, self.first))
        if self.cases and not self.interrupted:
            self.stream.put("problem", code="unfinished_cases", weight="incomplete",
                            detail="%d tests were begun and not reported to their end" % len(self.cases))
        begun = self.ended + len(self.cases)
        if status == 0 and begun < (self.planned or 0) and not (self.interrupted or self.dry):
            self.stream.put("problem", code="planned_above_cases", weight="contradict",
                            detail="pytest selected %d tests, ran %d of them and ended with 0: a hook left out the others"
                            % (self.planned, begun))
        if self.session is None:
            self.stream.put("note", text="pytest ran no session: it printed what it was asked for")
        self.stream.put("end", status=status)

    def _dry(self, config):
        for name, flag in (("collectonly", "--collect-only"), ("setupplan", "--setup-plan"), ("setuponly", "--setup-only")):
            if getattr(config.option, name, False):
                self.dry = True
                self.stream.put("problem", code="dry_run", weight="incomplete",
                                detail="%s: pytest runs no test with it" % flag)
        for name, flag in (("lf", "--last-failed"), ("stepwise", "--stepwise")):
            if getattr(config.option, name, False):
                self.remembering = flag

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session):
        self.session = session

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        self.first = int(exitstatus)
        outcome = yield
        error = outcome.excinfo
        if error is None or issubclass(error[0], pytest.exit.Exception):
            self.finished = True
        self._outside_of_status(session)

    def _outside_of_status(self, session):
        """A status of 1 that no case explains: a coverage limit, or a plugin that counts for itself."""
        status = int(session.exitstatus)
        if status not in (0, 1) or self.failed or self.collection:
            return
        try:
            cov = self.config.pluginmanager.getplugin("_cov")
            limit, total = cov.options.cov_fail_under, cov.cov_total
            if limit and total is not None and total < limit:
                self.stream.put("outside", kind="threshold", where="pytest-cov",
                                message="coverage %.2f%% is below %.2f%%" % (total, limit))
                return
        except Exception:
            pass
        if status == 1:
            self.stream.put("outside", kind="outside_tests", where="pytest",
                            message="pytest ended with 1 (tests failed), and no test was reported as failed")

    def pytest_keyboard_interrupt(self, excinfo):
        self.interrupted = True
        if self.collection:
            return
        reason = _once(getattr(excinfo, "value", ""), 500)
        self.stream.put("problem", code="interrupted", weight="incomplete",
                        detail="pytest was stopped: %s" % (reason or getattr(excinfo, "typename", "interrupt")))

    def pytest_internalerror(self, excrepr, excinfo):
        crash = getattr(excrepr, "reprcrash", None)
        self.stream.put("outside", kind="outside_tests", where="pytest",
                        message="internal error: %s" % _once(getattr(crash, "message", None) or excinfo.value),
                        text=_capped(excrepr), file=getattr(crash, "path", None), line=getattr(crash, "lineno", None))

    # -- collection ---------------------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        if not self.config.pluginmanager.hasplugin("dsession"):  # with xdist the workers collect
            self.planned = len(session.items)
            self.stream.put("planned", n=self.planned)
        failed_last = getattr(self.config.pluginmanager.getplugin("lfplugin"), "lastfailed", None)
        if self.remembering == "--last-failed" and failed_last:
            self._narrowed()

    def _narrowed(self):
        self.stream.put("problem", code="narrowed_by_memory", weight="incomplete",
                        detail="%s: what runs depends on the last run, which is not in the tree" % self.remembering)

    @pytest.hookimpl(trylast=True)
    def pytest_deselected(self, items):
        if len(items) and self.remembering == "--stepwise":
            self._narrowed()
        if len(items):
            self.stream.put("note", text="1 test was deselected" if len(items) == 1 else "%d tests were deselected" % len(items))

    @pytest.hookimpl(trylast=True)
    def pytest_collectreport(self, report):
        if report.failed:
            self.collection += 1
            file, line, message, _ = self._where(report.longrepr)
            if not file and os.path.isfile(os.path.join(self._root(), report.nodeid)):
                file = self._path(report.nodeid)
            self.stream.put("outside", kind="collection", where=report.nodeid or "pytest", message=message,
                            text=_capped(self._text(report)), file=file, line=line)
        elif report.skipped:
            path, line, reason = self._skip(report)
            self.stream.put("case", id=report.nodeid, name=report.nodeid, file=path, line=line, status="skipped",
                            kind="skip", reason=reason)

    # -- cases --------------------------------------------------------------------------------------------------

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        # A hook outside of this one may still make a pass of it: what it raised is kept, and held against what is
        # reported in the end.
        try:
            report = outcome.get_result()
            key = (report.nodeid, report.when)
            if call.excinfo is None or report.outcome == "skipped" or hasattr(report, "wasxfail"):
                self.raised.pop(key, None)
            else:
                self.raised[key] = _once(call.excinfo.exconly(), 500)
        except BaseException:
            pass

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        if hasattr(report, "context") and "ub" in type(report).__name__ and "est" in type(report).__name__:
            self._subtest(report)
            return
        case = self.cases.setdefault(report.nodeid, _Case())
        if report.outcome == "rerun":  # pytest-rerunfailures: the phases of this attempt do not count
            case.again = True
            self._forget(report.nodeid)
        case.reports.append(report)
        if report.when in ("setup", "call"):
            return
        # teardown, or "???" of a worker that crashed
        if case.again or not self._called(case.reports):
            case.attempts += 1
            case.again, case.reports = False, []
            return
        self._finish(report.nodeid, self.cases.pop(report.nodeid))

    def _called(self, reports):
        """Whether the test was called, or ended before that. Plugins that retry on their own report no call."""
        return any(r.when not in ("setup", "teardown") or not r.passed for r in reports)

    def _finish(self, nodeid, case):
        self.ended += 1
        status, kind, reason, failures, seconds = "passed", None, None, [], 0.0
        call_failed, swallowed = False, None
        for r in case.reports:
            if r.passed and not hasattr(r, "wasxfail"):
                swallowed = swallowed or self.raised.get((nodeid, r.when))
            seconds += getattr(r, "duration", 0) or 0
            if r.failed:
                call_failed = call_failed or r.when not in ("setup", "teardown")
                failures.append(self._failure(r, r.when in ("setup", "teardown")))
            elif r.skipped and r.when != "teardown":
                status = "skipped"
                kind = "xfail" if hasattr(r, "wasxfail") else "skip"
                reason = str(r.wasxfail) if kind == "xfail" else self._skip(r)[2]
            elif r.passed and hasattr(r, "wasxfail"):
                reason = ("passed although marked xfail: %s" % r.wasxfail).rstrip(": ")
        self._forget(nodeid)
        if failures:
            status, kind = ("failed" if call_failed else "errored"), None
            failures.sort(key=lambda f: f.get("error", False))
        elif swallowed is not None and status == "passed":
            status, kind = "skipped", "ignored"
            reason = "a hook reports it as passed although it raised %s" % swallowed
            self.stream.put("note", text="%s: %s" % (nodeid, reason))
        if case.children:
            if status == "passed" or (call_failed and len(failures) == 1 and case.failed_children):
                return  # its leaves speak for it
        self._put(case.reports[-1], nodeid, status, kind, reason, failures, seconds, case.attempts)

    def _forget(self, nodeid):
        for when in ("setup", "call", "teardown"):
            self.raised.pop((nodeid, when), None)

    def _subtest(self, report):
        parent = self.cases.setdefault(report.nodeid, _Case())
        parent.children += 1
        context = report.context
        label = []
        if getattr(context, "msg", None) is not None:
            label.append("[%s]" % (context.msg,))
        params = dict(getattr(context, "kwargs", None) or {})
        if params:
            label.append("(%s)" % ", ".join("%s=%s" % (k, v if isinstance(v, str) else repr(v))
                                                 for k, v in sorted(params.items())))
        nodeid = "%s %s" % (report.nodeid, " ".join(label)[:LINE] or "(<subtest>)")
        self.names[nodeid] = self.names.get(nodeid, 0) + 1
        if self.names[nodeid] > 1:
            nodeid += " #%d" % self.names[nodeid]
        status, kind, reason, failures = "passed", None, None, []
        if report.failed:
            parent.failed_children += 1
            status, failures = "failed", [self._failure(report, False)]
        elif report.skipped:
            status = "skipped"
            kind = "xfail" if hasattr(report, "wasxfail") else "skip"
            reason = str(report.wasxfail) if kind == "xfail" else self._skip(report)[2]
        self._put(report, nodeid, status, kind, reason, failures, getattr(report, "duration", 0) or 0, 1)

    def _put(self, report, nodeid, status, kind, reason, failures, seconds, attempts):
        if status in ("failed", "errored"):
            self.failed += 1
        path, line, domain = report.location
        module, _, rest = nodeid.partition("::")
        plain, bracket, label = rest.partition("[")  # what parameters are called may hold "::" too
        parts = plain.split("::")
        self.stream.put("case", id=nodeid, name=parts[-1] + bracket + label, suite="::".join(parts[:-1]) or module,
                        file=self._path(path), line=None if line is None else line + 1, status=status, kind=kind,
                        reason=None if reason is None else _once(reason), ms=round(seconds * 1000, 3), failures=failures,
                        attempts=attempts if attempts > 1 else None,
                        flaky=True if attempts > 1 and status == "passed" else None)

    def _failure(self, report, error):
        file, line, message, type_ = self._where(report.longrepr)
        if not file:
            path, line, _ = report.location
            file, line = self._path(path), None if line is None else line + 1
        if report.when in ("setup", "teardown"):
            message = "%s: %s" % (report.when, message)
        failure = {"message": message, "text": _capped(self._text(report))}
        for key, value in (("type", type_), ("file", file), ("line", line), ("error", error)):
            if value:
                failure[key] = value
        return failure

    def _text(self, report):
        try:
            return report.longreprtext
        except Exception:
            return report.longrepr

    def _where(self, longrepr):
        """File, line, one-line message and exception type of a failure.

        The place is the innermost frame that lies in the project: a helper of an installed package is no place to look.
        """
        crash = getattr(longrepr, "reprcrash", None)
        if crash is None:
            text = str(longrepr).strip()
            errors = [l[1:].strip() for l in text.splitlines() if l.startswith("E ")]
            named = [l for l in errors if re.match(r"[\w.]+(?:Error|Exception|Warning|Exit)\b", l)]  # SyntaxError comes last
            file, line = None, None
            for found in re.finditer(r'(?:File "([^"\n]+)", line (\d+)|^(?:E +)?(\S[^:\n]*\.py):(\d+): )', text, re.M):
                path = found.group(1) or found.group(3)
                if self._ours(path):
                    file, line = path, int(found.group(2) or found.group(4))
            return self._path(file), line, _once((named or errors or [text])[0]), None
        file, line = (str(crash.path), crash.lineno) if self._ours(str(crash.path)) else (None, None)
        try:
            for entry in longrepr.reprtraceback.reprentries:
                at = entry.reprfileloc
                if at is not None and self._ours(str(at.path)):
                    file, line = str(at.path), at.lineno
        except Exception:
            pass
        message = str(crash.message)
        named = re.match(r"([A-Za-z_][\w.]*)(?::|$)", message)
        type_ = named.group(1) if named else ("AssertionError" if message.startswith("assert ") else None)
        return self._path(file), line, _once(message), type_

    def _ours(self, path):
        full = os.path.join(os.getcwd(), path)
        return full.startswith(self._root() + os.sep) and os.sep + "site-packages" + os.sep not in full

    def _root(self):
        return str(getattr(self.config, "rootpath", None) or self.config.rootdir)

    def _path(self, path):
        """Relative to the folder that pytest was started in where it lies below it, else absolute."""
        if not path:
            return None
        full = os.path.normpath(os.path.join(self._root(), str(path)))
        start = str(self.config.invocation_params.dir if hasattr(self.config, "invocation_params") else self.config.invocation_dir)
        if not os.path.isabs(str(path)) and not os.path.exists(full):
            full = os.path.normpath(os.path.join(start, str(path)))
        return full[len(start) + 1:] if full.startswith(start + os.sep) else full

    def _skip(self, report):
        longrepr = report.longrepr
        if isinstance(longrepr, tuple) and len(longrepr) == 3:
            path, line, reason = longrepr
            reason = str(reason)
            return self._path(path), line, _once(reason[len("Skipped: "):] if reason.startswith("Skipped: ") else reason)
        return None, None, _once(longrepr or "")


def _argv(config):
    try:
        return [str(sys.argv[0])] + [str(a) for a in config.invocation_params.args]
    except Exception:
        return [str(a) for a in sys.argv]


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    """Called once for each session, before any conftest.py is loaded."""
    directory = os.environ.get("FACTGATE_RUN_DIR")
    if not directory or not os.path.isdir(directory):
        return
    inside = os.environ.get("FACTGATE_NESTED") == directory
    if inside and os.environ.get("PYTEST_XDIST_WORKER"):
        return  # the controller reports for its workers
    secret = os.environ.pop("FACTGATE_SEAL", None)
    stream = _Stream(directory, (secret or "").encode("utf-8", "replace"))
    if inside:
        stream.put("nested")
        return
    os.environ["FACTGATE_NESTED"] = directory
    _distrust()
    stream.put("start", v=1, runner="pytest", pid=os.getpid(), argv=_argv(early_config), dir=os.getcwd(),
               version=pytest.__version__)
    probe = _Probe(early_config, stream, directory, secret)
    early_config.pluginmanager.register(probe, "factgate_probe")
    early_config.add_cleanup(probe.refused)
