package shim

import (
	"io"
	"os"
	"path/filepath"

	"factgate/facts"
)

// goMain acts as go. Only "go test" is more than the real go.
func (c *Call) goMain() facts.Exit {
	real, err := c.real(envRealGo)
	if err != nil {
		return c.fail(err)
	}
	env := unset(c.Env, envRealGo) // it answers for this call, not for a go that a test starts by name
	argv := append([]string{real}, c.Args...)
	at, isTest := goTestAt(c.Args)
	if !isTest || get(env, envRunDir) == "" {
		return c.become(argv, env)
	}
	s := c.open("go")
	if c.nested() {
		s.nested()
		s.close()
		return c.become(argv, env)
	}
	g := parseGoTest(c.Args, at)
	g.dir = c.Dir
	if g.chdir != "" {
		if g.dir = g.chdir; !filepath.IsAbs(g.dir) {
			g.dir = filepath.Join(c.Dir, g.dir)
		}
	}
	s.start("go", append([]string{nameGo}, c.Args...), g.dir)
	fresh := get(env, envFresh) != ""
	return c.goTest(s, g, real, c.goTestEnv(s, env, real), fresh)
}

// goTestEnv is the environment of go test. Our folder is off PATH again: go keeps the PATH that a test reads with the cached
// result, and a go below a test is the real one.
func (c *Call) goTestEnv(s *stream, env []string, real string) []string {
	env = set(env, envNested, get(env, envRunDir))
	env = unset(set(env, "PATH", c.clear(get(env, "PATH"))), envFresh)
	flags, from := goFlags(env, real)
	clean, removed := scrubGoFlags(flags)
	if len(removed) == 0 {
		return env
	}
	for _, word := range removed {
		s.note("GOFLAGS (%s): %s was removed", from, word)
	}
	if clean == "" {
		clean = " " // an empty value would make go read its files again
	}
	return set(env, "GOFLAGS", clean)
}

func (c *Call) goTest(s *stream, g goArgs, real string, env []string, fresh bool) facts.Exit {
	argv := append([]string{real}, c.Args...)
	if g.silent != "" {
		s.note("go test %s", g.silent)
		end := c.pass(argv, env, nil)
		meaning := facts.NotClean
		if end.Code == 0 {
			meaning = facts.Clean
		}
		s.end("go test", end, meaning)
		return end
	}
	argv = append([]string{real}, g.withJSON(c.Args, fresh)...)
	raw := &rawFile{path: s.path(".json")}
	raw.begin = func() { s.write(resultsEvent{E: "results", Format: "gotestjson", File: filepath.Base(raw.path)}) }
	show := newGoRender(c.Stdout, c.Stderr, g)
	end := c.pass(argv, env, io.MultiWriter(raw, show))
	show.finish()
	meaning := show.meaning(end)
	if meaning != facts.Misused { // a go that was misused printed nothing, and there is nothing to read
		raw.Write(nil)
	}
	if err := raw.close(); err != nil && s.err == nil {
		s.err = err // what go said is not all there: no end
	}
	s.packages(packageFolders(g.dir, env, show.failed))
	s.end("go test", end, meaning)
	return end
}

// rawFile keeps what go test -json printed. It never fails towards the runner: a full disk must not break a test run, it
// must only not pass as proven.
type rawFile struct {
	path  string
	begin func() // called when the file comes to be, which it does with the first write
	f     *os.File
	err   error
}

func (r *rawFile) Write(b []byte) (int, error) {
	if r.f == nil && r.err == nil {
		r.f, r.err = os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		r.begin()
	}
	if r.err == nil {
		_, r.err = r.f.Write(b)
	}
	return len(b), nil
}

func (r *rawFile) close() error {
	if r.f != nil {
		if err := r.f.Close(); r.err == nil {
			r.err = err
		}
	}
	return r.err
}
