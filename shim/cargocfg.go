package shim

import "strings"

// cfgMatches evaluates a cfg(…) key of cargo's configuration for a triple. What it cannot evaluate does not match.
func cfgMatches(key, triple string) bool {
	p := cfgParser{rest: strings.TrimSuffix(strings.TrimPrefix(key, "cfg("), ")"), facts: cfgFacts(triple)}
	value := p.expr()
	return value && !p.bad && strings.TrimSpace(p.rest) == ""
}

// cfgFacts is what rustc --print cfg would say of a triple, as far as one asks for it to choose a runner.
func cfgFacts(triple string) map[string]bool {
	part := strings.Split(triple, "-")
	cpu, system, abi := part[0], part[len(part)-1], ""
	if len(part) == 4 {
		system, abi = part[2], part[3]
	}
	os := system
	if system == "darwin" {
		os = "macos"
	}
	arch := map[string]string{"i686": "x86", "riscv64gc": "riscv64", "armv7": "arm", "powerpc64le": "powerpc64"}[cpu]
	if arch == "" {
		arch = cpu
	}
	family, width := "unix", "64"
	if os == "windows" {
		family = "windows"
	}
	if arch == "x86" || arch == "arm" {
		width = "32"
	}
	env := abi
	for _, e := range []string{"gnu", "musl", "msvc"} {
		if strings.HasPrefix(abi, e) {
			env = e
		}
	}
	return map[string]bool{
		family: true, `target_family="` + family + `"`: true, `target_os="` + os + `"`: true, `target_arch="` + arch + `"`: true,
		`target_env="` + env + `"`: true, `target_pointer_width="` + width + `"`: true, `target_endian="little"`: cpu != "s390x",
		`target_vendor="` + part[1] + `"`: true, "true": true,
	}
}

// cfgParser reads all(…), any(…), not(…), name and name = "value".
type cfgParser struct {
	rest  string
	facts map[string]bool
	bad   bool
}

func (p *cfgParser) expr() bool {
	name := p.word()
	switch {
	case p.eat("("):
		return p.list(name)
	case p.eat("="):
		quoted := p.quoted()
		return p.facts[name+`="`+quoted+`"`]
	}
	return p.facts[name]
}

func (p *cfgParser) list(name string) bool {
	all, any, n := true, false, 0
	for !p.eat(")") {
		if p.bad || p.rest == "" {
			p.bad = true
			return false
		}
		v := p.expr()
		all, any, n = all && v, any || v, n+1
		p.eat(",")
	}
	switch name {
	case "all":
		return all
	case "any":
		return any
	case "not":
		return n == 1 && !any
	}
	p.bad = true
	return false
}

func (p *cfgParser) word() string {
	p.rest = strings.TrimLeft(p.rest, " \t")
	n := 0
	for n < len(p.rest) && (p.rest[n] == '_' || p.rest[n] >= 'a' && p.rest[n] <= 'z' || p.rest[n] >= '0' && p.rest[n] <= '9') {
		n++
	}
	if n == 0 {
		p.bad = true
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return word
}

func (p *cfgParser) quoted() string {
	if !p.eat(`"`) {
		p.bad = true
		return ""
	}
	value, rest, ok := strings.Cut(p.rest, `"`)
	p.bad = p.bad || !ok
	p.rest = rest
	return value
}

func (p *cfgParser) eat(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t")
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}
