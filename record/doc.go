// Package record keeps the signed account of each run. Together with facts and verdict it is all that verifying a record
// takes: no config, no process, no network.
//
// # The format, version 1
//
// A record is one file: a DSSE envelope (https://github.com/secure-systems-lab/dsse) on one line, ended by a newline.
//
//	{"payloadType":"application/vnd.in-toto+json","payload":"BASE64","signatures":[{"keyid":"HEX","sig":"BASE64"}]}
//
// There is exactly one signature, ed25519 over the pre-authentication encoding of the payload. keyid is the sha256 of the
// 32 bytes of the public key, in lower-case hex. The envelope has one spelling: these three members in this order, no
// other white space, standard padded base64. Any other spelling is refused, so every byte of the file is bound.
//
// The payload is an in-toto Statement v1 (https://github.com/in-toto/attestation):
//
//	{
//	  "_type": "https://in-toto.io/Statement/v1",
//	  "subject": [
//	    {"name": "worktree", "digest": {"factgate-tree-v1": "4f1c…"}},
//	    {"name": "git-tree", "digest": {"gitTree": "9ab3…"}}
//	  ],
//	  "predicateType": "urn:factgate:check-run:v1",
//	  "predicate": {
//	    "id": "01JZX5W4T0M3V9Q2Y7K8D6B1HC", "check": "api", "config": "77e0…", "key": "c0de…", "runner": "pytest",
//	    "argv": ["uv", "run", "pytest", "-q"], "program": {"path": "/usr/bin/uv", "sha256": "51aa…"}, "dir": "services/api",
//	    "tier": "stop", "timeout_ns": 300000000000, "attempt": 1, "trigger": "verify",
//	    "tree": {"id": "4f1c…", "after": "4f1c…", "head": "1d2e…", "git_tree": "9ab3…"},
//	    "inputs": {"patterns": ["services/api/**"], "digest": "8be2…"},
//	    "env": [{"name": "DATABASE_URL", "digest": "03d1…", "kept": true}],
//	    "run": {"exit": {"code": 0, "…": 0}, "meaning": "clean", "results": {"counts": {"cases": 41, "…": 0}, "cases": []}, "tree": {}},
//	    "rules": {"min_tests": 1, "allow_no_tests": false, "accept_flaky": false, "refuse_cached": false},
//	    "rules_version": 1, "verdict": {"outcome": "passed"},
//	    "tools": {"factgate": "0.1.0", "runner": "9.2.0", "os": "linux", "arch": "amd64"},
//	    "started": "2026-07-10T09:00:00Z", "ended": "2026-07-10T09:00:02.14Z",
//	    "chain": {"name": "3b5d…", "position": 42, "previous": "e1f0…"}
//	  }
//	}
//
// The members of the predicate are the JSON of Record. The subjects follow from predicate.tree and are refused when they
// do not: worktree where the tree has an id, git-tree where git_tree is set; they are two subjects because a digest set
// matches on any one of its members. A run whose tree could not be read has no subject. A member that version 1 does not
// know is refused: what a reader cannot see must not be signed past it. Values of environment variables are never in a
// record; they stand as HMAC-SHA256 under a secret of the store (Store.EnvDigest).
//
// chain.position counts from 1 within chain.name, and chain.previous is the sha256 of the file at the position before it.
//
// # Tombstones
//
// Retention replaces a record's file by a tombstone, a statement of the same form with the predicate type
// urn:factgate:tombstone:v1 and the predicate {"record": …, "collected": {"digest": …, "at": …}}. The record in it is the
// original with its facts condensed (verdict.Condense) to what decides: a tombstone still proves what the record proved,
// but names no case. digest is the sha256 of the original file, so that the chain still closes.
//
// # Opening
//
// Open verifies the signature over the very bytes, then decides again: a record whose verdict does not follow from its
// facts under the rules version it names is refused (ForgedError). One that other rules decided is decided by today's,
// and only that verdict is returned.
package record
