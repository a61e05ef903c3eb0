package runners

import (
	_ "embed"

	"factgate/facts"
)

//go:embed pytest/factgate_pytest_probe.py
var pytestProbe string

//go:embed pytest/factgate_pytest.py
var pytestWork string

// pytest: exit codes per https://docs.pytest.org/en/stable/reference/exit-codes.html
func pytest() Runner {
	return Runner{
		Name:     "pytest",
		Title:    "Python tests with pytest 5 to 9",
		Link:     "https://docs.pytest.org/en/stable/reference/exit-codes.html",
		Command:  []string{"pytest"},
		Programs: []string{"pytest", "py.test", "pytest-3"},
		Modules:  []string{"pytest"},
		Scripts:  []string{"pytest/__main__.py"},
		Exits: map[int]facts.Meaning{
			0: facts.Clean, 1: facts.TestsFailed, 2: facts.Interrupted, 3: facts.Broke,
			4: facts.Misused, 5: facts.NoTests, 6: facts.ThresholdFailed,
		},
		EnvAdd: []Word{
			{Name: "PYTHONPATH", Text: "{tools}/pytest", Sep: ":", First: true},
			{Name: "PYTEST_PLUGINS", Text: "factgate_pytest_probe", Sep: ",", First: true},
		},
		Fresh: Fresh{}, // pytest replays nothing
		Reads: []string{"PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTHONPATH", "PYTHONOPTIMIZE", "PYTHONHASHSEED", "DJANGO_SETTINGS_MODULE", "HYPOTHESIS_PROFILE"},
		Scrub: []Scrub{{
			Name: "PYTEST_ADDOPTS",
			Flags: []string{
				"-k", "-m", "--deselect", "--ignore", "--ignore-glob", "*.py::*",
				"--co!", "--collect-only!", "--collectonly!", "--lf!", "--last-failed!", "--lfnf", "--last-failed-no-failures",
				"--sw!", "--stepwise!", "--sw-skip!", "--stepwise-skip!", "--sw-reset!", "--stepwise-reset!", "--noconftest!",
				"--setup-plan!", "--setup-only!", "--setuponly!", "--setupplan!",
				"--fixtures!", "--funcargs!", "--fixtures-per-test!", "--markers!", "--help!", "-h!", "--version!", "-V!", "--cache-show",
				"-p no:", "-c", "--config-file", "--rootdir", "--confcutdir", "-o", "--override-ini",
				"--testmon!", "--picked", "--splits", "--group", "--shard-id", "--num-shards", "--test-group", "--test-group-count",
				"--snapshot-update!", "--inline-snapshot", "--force-regen!", "--regen-all!",
			},
			Bare: "qvxsl",
		}},
		Files: []ToolFile{
			{Path: "pytest/factgate_pytest_probe.py", Data: pytestProbe},
			{Path: "pytest/factgate_pytest.py", Data: pytestWork},
		},
		Results: Source{Probe: true, Sealed: true},
		Outputs: []string{"/__pycache__/**", ".pytest_cache/**", "/pytest-cache-files-*/**", ".coverage", ".coverage.*", "htmlcov/**", ".hypothesis/**", ".testmondata*"},
		Witness: []string{".venv/lib/python*/site-packages/*.dist-info", "venv/lib/python*/site-packages/*.dist-info", ".venv/Lib/site-packages/*.dist-info"},
		Limits: []string{
			"`python -I` and `python -E` ignore PYTHONPATH, and tox passes it on only where `pass_env` names PYTHONPATH, PYTEST_PLUGINS and FACTGATE_*: there are no results then.",
			"Tests run inside pytest's own process. One that writes files cannot forge the report, for its end is sealed with a secret of the run; one that digs the secret out of the process can.",
			"A hook that reports a test as passed although it raised makes that case a skip of kind `ignored`.",
			"Cost, measured with 9.2 on 2 cores: 4 ms at the start and 0.04 ms a test.",
			"A folder named in PYTEST_ADDOPTS stays there, and so does what pytest.ini and conftest.py select.",
		},
	}
}
