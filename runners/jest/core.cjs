// factgate's jest probe. It wraps runCLI of @jest/core and leaves flags, reporters, output and exit code alone.
//
// The stream begins when runCLI is called, so `jest --version` leaves none. When runCLI has resolved, the results are
// written in the shape of jest --json, and the closing line follows as the process exits, with its true exit code.
// Whatever ends the process before that (process.exit in a test, in globalSetup or globalTeardown, a signal) leaves it
// out, and the results are then known to be incomplete. The end is sealed with a secret of this run that tests do not
// find in their environment. Node 12 and newer, jest 24 to 30.
'use strict';

if (require('worker_threads').isMainThread) {
  const Module = require('module');
  const load = Module._load;
  const hook = function (request, parent) {
    if (request !== '@jest/core') return load.apply(this, arguments);
    if (Module._load === hook) Module._load = load; // once is enough, and what jest loads from here on does not pay for it
    const loaded = load.apply(this, arguments);
    if (!loaded || typeof loaded.runCLI !== 'function') return loaded;
    const file = Module._resolveFilename(request, parent);
    if (!Module._cache[file] || Module._cache[file].exports !== loaded) return loaded;
    Module._cache[file].exports = wrap(loaded, file);
    return Module._cache[file].exports;
  };
  Module._load = hook;
}

// Bound now: a test in this process may replace any of them.
const {openSync, writeSync, closeSync} = require('fs');
const {join} = require('path');
const {createHash, createHmac} = require('crypto');
const {stringify} = JSON;
const {pid} = process;

const sha256 = bytes => createHash('sha256').update(bytes).digest('hex');

function stream(dir, secret) {
  const nonce = require('crypto').randomBytes(6).toString('hex');
  const name = `jest-${pid}-${nonce}`;
  const append = (file, flags, text) => {
    const fd = openSync(join(dir, file), flags, 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } finally {
      closeSync(fd);
    }
  };
  let flags = 'ax';
  let broken = false;
  let written = '';
  return {
    put(event) {
      if (broken) return;
      if (event.e === 'end') event.seal = createHmac('sha256', secret || '').update(sha256(written)).digest('hex');
      try {
        const line = stringify(event) + '\n';
        append(`${name}.probe`, flags, line);
        written += line;
        flags = 'a';
      } catch (e) {
        broken = true; // a line is missing, so no closing line may follow
      }
    },
    results(data) {
      const text = stringify(data);
      append(`${name}.json`, 'wx', text);
      this.put({e: 'results', format: 'jestjson', file: `${name}.json`, sha256: sha256(text)});
    },
  };
}

// wrap returns an object that is the module but for runCLI. Its exports cannot be redefined: they are getters.
function wrap(core, file) {
  let called = false;
  const start = out => out.put({e: 'start', v: 1, runner: 'jest', pid, argv: process.argv.slice(1), dir: process.cwd(), version: version(core)});
  process.on('exit', code => {
    // jest gave up before runCLI: it did not understand its arguments. A program that only loads jest says nothing.
    const {FACTGATE_RUN_DIR: dir, FACTGATE_NESTED: inside, FACTGATE_SEAL: secret} = process.env;
    if (called || code !== 1 || !dir || inside === dir) return;
    const out = stream(dir, secret);
    start(out);
    out.put({e: 'end', status: code, meaning: 'misused'});
  });
  const runCLI = function (argv, projects) {
    called = true;
    const dir = process.env.FACTGATE_RUN_DIR;
    if (!dir || (argv && (argv.clearCache || argv.showConfig))) return core.runCLI.apply(this, arguments);
    const secret = process.env.FACTGATE_SEAL;
    delete process.env.FACTGATE_SEAL;
    const out = stream(dir, secret);
    if (process.env.FACTGATE_NESTED === dir) {
      out.put({e: 'nested'});
      return core.runCLI.apply(this, arguments);
    }
    process.env.FACTGATE_NESTED = dir;
    start(out);
    const leave = () => { // what this process starts from now on, a second run included, is a sibling
      delete process.env.FACTGATE_NESTED;
      if (secret !== undefined) process.env.FACTGATE_SEAL = secret;
    };
    const run = {argv: argv || {}, searches: false, found: undefined, errors: []};
    try {
      observe(core, require('module').createRequire(file), run);
    } catch (e) {
      // less is known then; the results themselves do not depend on it
    }
    notes(out, run);
    atExit(out, run);
    return core.runCLI.apply(this, arguments).then(
      value => {
        leave();
        done(out, run, value && value.results, value && value.globalConfig);
        return value;
      },
      error => {
        leave();
        gaveUp(out, run, error);
        throw error;
      },
    );
  };
  return Object.create(core, {runCLI: {value: runCLI, enumerable: true, writable: true, configurable: true}});
}

function version(core) {
  try {
    return core.getVersion();
  } catch (e) {
    return undefined;
  }
}

// observe counts the tests that jest finds, holds on to the results that it adds up, for --bail leaves before anybody is
// given them, and keeps the errors that reporters raise (a coverage limit is one).
function observe(core, from, run) {
  const search = core.SearchSource && core.SearchSource.prototype;
  if (search && typeof search.getTestPaths === 'function') {
    const getTestPaths = search.getTestPaths;
    run.searches = true;
    search.getTestPaths = async function (config) {
      if (config && 'bail' in config) run.config = config;
      const found = await getTestPaths.apply(this, arguments);
      if (found && Array.isArray(found.tests)) run.found = (run.found || 0) + found.tests.length;
      return found;
    };
  }
  replace(from, '@jest/test-result', 'addResult', addResult => function (all) {
    run.sofar = all;
    return addResult.apply(this, arguments);
  });
  const reporters = from('@jest/reporters');
  const base = reporters && reporters.BaseReporter && reporters.BaseReporter.prototype;
  if (base && typeof base.setError === 'function' || base && typeof base._setError === 'function') {
    const name = typeof base._setError === 'function' ? '_setError' : 'setError';
    const setError = base[name];
    base[name] = function (error) {
      run.errors.push({where: this.constructor && this.constructor.name, message: String((error && error.message) || error)});
      return setError.apply(this, arguments);
    };
  }
}

// replace puts another function into a module that jest loads only when it first needs it. Its exports are getters.
function replace(from, name, key, make) {
  let file, loaded;
  try {
    file = from.resolve(name);
    loaded = from(name);
  } catch (e) {
    return; // an older jest may not have it there
  }
  if (typeof loaded[key] !== 'function' || !from.cache[file]) return;
  const all = Object.getOwnPropertyDescriptors(loaded);
  all[key] = {value: make(loaded[key]), enumerable: true, writable: true, configurable: true};
  from.cache[file].exports = Object.create(Object.getPrototypeOf(loaded), all);
}

// notes says which of jest's flags narrow or void the run.
function notes(out, run) {
  const argv = run.argv;
  for (const flag of ['listTests', 'collectTests']) {
    if (argv[flag]) out.put({e: 'problem', code: 'dry_run', weight: 'incomplete', detail: `--${flag}: jest runs no test with it`});
  }
  run.remembered = remembered(out, argv);
  const narrow = ['findRelatedTests', 'shard',
    'testNamePattern', 'testPathPattern', 'testPathPatterns', 'runTestsByPath', 'selectProjects', 'ignoreProjects', 'filter'];
  const used = narrow.filter(flag => argv[flag] && !(Array.isArray(argv[flag]) && argv[flag].length === 0));
  if (used.length) out.put({e: 'note', text: `narrowed by ${used.map(f => `--${f}`).join(', ')}`});
}

// remembered says that something else than the files under test chose the tests: options of jest's command line, or what
// jest made of them and of its configuration.
function remembered(out, options) {
  const used = ['onlyChanged', 'changedSince', 'changedFilesWithAncestor', 'lastCommit', 'onlyFailures'].filter(flag => options && options[flag]);
  if (used.length === 0) return false;
  out.put({e: 'problem', code: 'narrowed_by_memory', weight: 'incomplete',
    detail: `${used.map(f => `--${f}`).join(', ')}: what runs depends on git or on the last run, which are not in the tree`});
  return true;
}

// rewritten says that jest wrote snapshots that it should hold the tests against. Where it wrote none, it held them.
function rewritten(out, argv, snapshot) {
  if (!argv.updateSnapshot) return;
  const n = ['added', 'updated', 'unchecked', 'filesRemoved'].reduce((sum, key) => sum + (Number(snapshot && snapshot[key]) || 0), 0);
  out.put(n === 0 ? {e: 'note', text: 'snapshots are rewritten by --updateSnapshot'} : {e: 'problem', code: 'expectations_rewritten', weight: 'incomplete',
    detail: `--updateSnapshot: jest rewrote ${n} of the snapshots that it should hold the tests against`});
}

// gaveUp tells why runCLI threw: before jest looked for tests, its configuration is wrong; after that, something such as
// globalSetup failed.
function gaveUp(out, run, error) {
  const text = capped(error && (error.stack || error.message || error));
  const message = firstLine(String((error && error.message) || error).replace(/^\s*●.*\n/, ''));
  if (run.searches && run.found === undefined) {
    run.gaveUp = 'misused';
    out.put({e: 'note', text: `jest says: ${message}`});
    return;
  }
  run.gaveUp = 'not_clean';
  out.put({e: 'outside', kind: 'outside_tests', where: 'jest', message, text});
}

// done writes what the run showed, and what failed outside of tests.
function done(out, run, results, config) {
  if (!results) return;
  if (!run.remembered) remembered(out, config);
  rewritten(out, run.argv, results.snapshot);
  run.results = results;
  try {
    if (run.found !== 0) out.results(shape(results, run)); // else whether we get here is a race with jest's exit(1)
  } catch (e) {
    out.put({e: 'problem', code: 'results_unwritten', weight: 'incomplete', detail: `the results could not be written: ${firstLine(e && e.message)}`});
  }
  for (const error of run.errors) {
    const kind = threshold(error) ? 'threshold' : 'outside_tests';
    out.put({e: 'outside', kind, where: error.where, message: firstLine(error.message), text: capped(error.message)});
  }
  if (results.wasInterrupted) {
    out.put({e: 'problem', code: 'interrupted', weight: 'incomplete', detail: 'jest was interrupted (--bail, or a watcher)'});
  }
  // jest-cli decides the exit code in a listener that it adds after runCLI; one that is added later still sees it.
  setTimeout(() => {
    out.put({e: 'note', text: 'jest did not exit when its tests had ended: a timer, a server or a connection that is still open keeps it alive (`jest --detectOpenHandles` shows which)'});
  }, 1000).unref();
  setImmediate(() => {
    run.late = true;
    process.on('exit', code => end(out, run, process.exitCode === undefined ? code : process.exitCode));
  });
}

// atExit closes the stream where jest leaves before the later listener is there: --forceExit, and "No tests found",
// after which it calls exit(1) in the middle of runCLI.
function atExit(out, run) {
  process.on('exit', code => {
    const {sofar, config} = run;
    if (!run.results && sofar && config && config.bail && sofar.numFailedTests >= config.bail) {
      done(out, run, sofar);
      out.put({e: 'note', text: `jest stopped at --bail: the rest of ${sofar.numTotalTestSuites} test files was not run`});
      if (code !== 0) end(out, run, code); // it is not jest that ends this with 0
      return;
    }
    if (run.results ? !run.late : run.gaveUp || run.found === 0 && code !== 0) end(out, run, code);
  });
}

function end(out, run, status) {
  if (run.found === 0) out.put({e: 'claims', tests: 0});
  const line = {e: 'end', status: Number(status) || 0};
  const meaning = line.status === 0 ? undefined : meant(run);
  if (meaning) line.meaning = meaning;
  out.put(line);
}

// meant says why jest ended with its one code for everything, 1.
function meant(run) {
  const r = run.results;
  if (run.gaveUp) return run.gaveUp;
  if (run.found === 0 || (r && r.numTotalTestSuites === 0)) return 'no_tests';
  if (r.numFailedTests) return 'tests_failed';
  if (r.numFailedTestSuites) return (r.testResults || []).some(notLoaded) ? 'collection_failed' : undefined;
  if (run.errors.some(threshold)) return 'threshold_failed';
  if (r.wasInterrupted) return 'interrupted';
  return undefined;
}

// notLoaded: no test of the file ran, and it is not the worker that died.
const notLoaded = file => file.testExecError && !(file.testResults || []).length && !/^(?:A jest worker process |Jest worker encountered |Call retries were exceeded)/.test(file.testExecError.message || '');

const threshold = error => /coverage (?:threshold|data for)|does not meet .*threshold/i.test(error.message);

// shape copies the results into what jest --json writes, less what can be huge or circular (coverage maps, details).
function shape(r, run) {
  const out = {};
  for (const key of Object.keys(r)) {
    const value = r[key];
    if (key.startsWith('num') || typeof value === 'boolean' || key === 'startTime') out[key] = value;
  }
  if (run.errors.length) delete out.success; // what made it false is told in lines of their own
  out.snapshot = plain(r.snapshot || {});
  out.testResults = (r.testResults || []).map(file => {
    const tests = file.testResults || [];
    const failed = file.testExecError || file.numFailingTests > 0 || tests.some(t => t.status === 'failed');
    const error = file.testExecError;
    return {
      name: file.testFilePath,
      status: failed ? 'failed' : file.skipped ? 'skipped' : 'passed',
      message: failed ? capped(file.failureMessage || (error && (error.stack || error.message)) || '') : '',
      startTime: file.perfStats && file.perfStats.start,
      endTime: file.perfStats && file.perfStats.end,
      summary: '',
      assertionResults: tests.map(t => ({
        ancestorTitles: t.ancestorTitles,
        title: t.title,
        fullName: t.fullName,
        status: t.status,
        duration: t.duration,
        failing: t.failing,
        invocations: t.invocations,
        location: t.location,
        numPassingAsserts: t.numPassingAsserts,
        failureMessages: (t.failureMessages || []).map(capped),
        retryReasons: (t.retryReasons || []).map(capped),
      })),
    };
  });
  return out;
}

function plain(object) {
  const out = {};
  for (const key of Object.keys(object)) {
    if (typeof object[key] !== 'object' && typeof object[key] !== 'function') out[key] = object[key];
  }
  return out;
}

function capped(text) {
  const max = 8000;
  const s = String(text === undefined || text === null ? '' : text);
  return s.length <= 2 * max ? s : `${s.slice(0, max)}\n[... ${s.length - 2 * max} characters left out ...]\n${s.slice(-max)}`;
}

function firstLine(text) {
  return capped(text).trim().split('\n')[0].slice(0, 2000);
}
