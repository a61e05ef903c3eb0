package verdict

// Rules is the policy of one check: what a run must show to pass.
type Rules struct {
	MinTests     int  `json:"min_tests"`
	AllowNoTests bool `json:"allow_no_tests,omitempty"`
	AcceptFlaky  bool `json:"accept_flaky,omitempty"`
	RefuseCached bool `json:"refuse_cached,omitempty"`
}
