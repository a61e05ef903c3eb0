//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// place is where one row is run: a repository, a home, a state directory and a folder for what the tools write down.
type place struct {
	dir, repo, state, out string
	env                   []string
	earlier               map[string]string // path of each earlier record file below state, and its digest
	seeds                 []string          // ids of the earlier records
}

// hung is how long a script may take, whatever it does.
const hung = 5 * time.Minute

// row runs one row as often as was asked for.
func (h *harness) row(r row) result {
	began := time.Now()
	res := result{row: r, state: held}
	if why := h.machine.lacks(r); why != "" {
		res.state, res.why = skipped, []string{why}
		return res
	}
	for i := range h.times {
		why, said := h.once(r, i)
		if len(why) == 0 {
			res.said = said
			continue
		}
		if h.times > 1 {
			why[0] = fmt.Sprintf("time %d of %d: %s", i+1, h.times, why[0])
		}
		res.state, res.why, res.said = broken, why, said
		if r.Known != "" {
			res.state, res.why = known, []string{r.Known}
		}
		break
	}
	res.took = time.Since(began)
	return res
}

// once runs a row and returns what did not hold.
func (h *harness) once(r row, attempt int) (why []string, said string) {
	p, err := h.place(r, attempt)
	if err != nil {
		return []string{"set-up: " + err.Error()}, ""
	}
	end, err := h.play(r, p)
	if err != nil {
		why = append(why, err.Error())
	}
	why = append(why, holds(r, p, end)...)
	if len(why) > 0 || h.loud {
		said = tail(filepath.Join(p.out, "script.log"), 25)
	}
	if len(why) == 0 || !h.keep {
		restore(p.dir)
		os.RemoveAll(p.dir)
	} else {
		why = append(why, "kept in "+p.dir)
	}
	return why, said
}

// place makes the folders of a row, two earlier records in its store, and its repository.
func (h *harness) place(r row, attempt int) (place, error) {
	dir := filepath.Join(h.scratch, fmt.Sprintf("%s-%d", r.ID, attempt))
	p := place{dir: dir, repo: filepath.Join(dir, "repo"), state: filepath.Join(dir, "state"), out: filepath.Join(dir, "out")}
	for _, d := range []string{p.repo, p.state, p.out, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return p, err
		}
	}
	p.env = h.environ(r, p)
	if r.Git {
		if err := errors.Join(p.git("init", "-q", "."), p.git("config", "gc.auto", "0")); err != nil { // gc would outlive the row
			return p, err
		}
	}
	if err := p.seed(h.bin); err != nil {
		return p, err
	}
	files := r.Files
	if !hasFile(files, "factgate.toml") {
		files = append([]file{{"factgate.toml", defaultConfig}}, files...)
	}
	for _, f := range files {
		path := filepath.Join(p.repo, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return p, err
		}
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			return p, err
		}
	}
	if !r.Git {
		return p, nil
	}
	return p, errors.Join(p.git("add", "-A"), p.git("commit", "-q", "--allow-empty", "-m", "one"))
}

func hasFile(files []file, path string) bool {
	for _, f := range files {
		if f.path == path {
			return true
		}
	}
	return false
}

// environ is all that a script inherits.
func (h *harness) environ(r row, p place) []string {
	env := []string{
		"PATH=" + h.bin + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(p.dir, "home"), "TMPDIR=" + filepath.Join(p.dir, "tmp"),
		"FACTGATE_STATE_DIR=" + p.state, "STATE=" + p.state, "OUT=" + p.out, "REPO=" + p.repo, "SCRATCH=" + p.dir,
		fmt.Sprintf("LIMIT=%d", r.Limit.Milliseconds()), "NO_COLOR=1", "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	for _, name := range []string{"PYENV_ROOT", "USER"} { // where a version manager lies, when it is not below HOME
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func (p place) git(args ...string) error {
	_, err := p.run("git", args...)
	return err
}

func (p place) run(program string, args ...string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = p.repo, p.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	said, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w %s", filepath.Base(program), strings.Join(args, " "), err, errs.String())
	}
	return string(said), err
}

// seedConfig has one check that passes and one that fails: their records must outlive whatever the row does.
const seedConfig = `version = 1
[checks.earlier-green]
runner = "command"
command = ["true"]
[checks.earlier-red]
runner = "command"
command = ["false"]
`

func (p *place) seed(bin string) error {
	config := filepath.Join(p.repo, "factgate.toml")
	if err := os.WriteFile(config, []byte(seedConfig), 0o644); err != nil {
		return err
	}
	factgate := filepath.Join(bin, "factgate")
	said, err := p.run(factgate, "verify")
	if e := (*exec.ExitError)(nil); !errors.As(err, &e) || e.ExitCode() != 1 {
		return fmt.Errorf("the earlier records could not be made: %v\n%s", err, said)
	}
	log, err := p.run(factgate, "log", "--format", "json")
	if err != nil {
		return err
	}
	for _, c := range logged(log) {
		p.seeds = append(p.seeds, c.Record)
	}
	if len(p.seeds) != 2 {
		return fmt.Errorf("the earlier records are not in the log:\n%s", log)
	}
	p.earlier, err = digests(p.state)
	return errors.Join(err, os.Remove(config))
}

// end is what the keeper of a row's namespace saw.
type end struct {
	Code      int      `json:"code"`      // of the script
	Hung      bool     `json:"hung"`      // it was still there after its time
	Survivors []string `json:"survivors"` // command lines of what was alive 2 s after the script's end
}

// play runs a row's script in namespaces of its own.
func (h *harness) play(r row, p place) (end, error) {
	script := filepath.Join(p.out, "script.sh")
	if err := os.WriteFile(script, []byte(r.Script), 0o644); err != nil {
		return end{}, err
	}
	log, err := os.Create(filepath.Join(p.out, "script.log"))
	if err != nil {
		return end{}, err
	}
	defer log.Close()
	cmd := exec.Command(h.self, insideWord, p.out, script)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.repo, p.env, log, log
	cmd.SysProcAttr = namespaces()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Start(); err != nil {
		return end{}, err
	}
	killer := time.AfterFunc(hung+30*time.Second, func() { cmd.Process.Kill() })
	err = cmd.Wait()
	killer.Stop()
	var e end
	text, bad := os.ReadFile(filepath.Join(p.out, "end.json"))
	if bad == nil {
		bad = json.Unmarshal(text, &e)
	}
	if bad != nil {
		return e, fmt.Errorf("the keeper of the namespace said nothing: %v", errors.Join(err, bad))
	}
	return e, nil
}

// restore gives back the rights that a script took, so that its folder can be removed.
func restore(dir string) {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
}

// tail is the end of a text file.
func tail(path string, lines int) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(strings.ToValidUTF8(string(text), "?"), "\n"), "\n")
	all = all[max(0, len(all)-lines):]
	for i := range all {
		all[i] = all[i][:min(len(all[i]), 300)]
	}
	return strings.Join(all, "\n")
}
