package process

import "factgate/facts"

// Refused says how a start of the program would be refused for what can be seen beforehand: it is not there, or it is no
// program. It is for a program that another one of ours is started in the place of.
func Refused(name string, env []string, dir string) (exit facts.Exit, refused bool) {
	if _, err := resolve([]string{name}, env, dir); err != nil {
		return unstarted(facts.Exit{Code: -1}, err), true
	}
	return facts.Exit{}, false
}
