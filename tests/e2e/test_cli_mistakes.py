"""A user's mistake: one sentence on stderr, nothing on stdout, the right exit code, never a traceback."""

import json
import subprocess
import sys

import pytest
import yaml

RUN_ALL = """
import contextlib, io, json, sys
from costbench.cli import main
outcomes = []
for arguments in json.load(sys.stdin):
    sys.argv, out, err, code = ["costbench", *arguments], io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    outcomes.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(outcomes))
"""
SPEC = {
    "name": "s",
    "nodes": 3,
    "rounds": 1,
    "task": {"dataset": "fashion-mnist-small", "model": {"kind": "lenet"}, "batch": 2},
    "optimizer": {"lr": 0.1},
    "topology": {"kind": "file", "edges": [[0, 0, 1], [0, 1, 0], [0, 0, 2]]},
    "algorithm": {"kind": "sgp"},
}
RING = "topology={kind: ring}"
MISTAKES = {
    "run": (2, "SPEC"),
    "run none.yaml": (3, "none.yaml: found 'no such file'"),
    "run nonsense": (2, "no spec 'nonsense': give a YAML file or a recipe"),
    "run broken.yaml": (3, "broken.yaml: line 3: found "),
    "run list.yaml": (3, "list.yaml: found ['a']; allowed: a mapping of keys to values"),
    "run spec.yaml": (3, "spec.yaml: topology.edges: found 'node 2 never sends'; allowed: an out-neighbour"),
    f"run spec.yaml --set {RING} --set nodes=zero": (
        3,
        "spec.yaml: nodes: found 'zero'; allowed: an integer",
    ),
    "run spec.yaml --set algorithm.keep=1": (3, "algorithm.keep: found 'keep'; allowed: one of kind"),
    "run spec.yaml --set nodes": (2, "--set nodes: expected KEY=VALUE"),
    "run spec.yaml --sett a=1": (2, "No such option"),
    f"run spec.yaml --set {RING} --set task.dataset=cifar10": (3, "costbench data fetch cifar10"),
    f"run spec.yaml --set {RING} --set nodes=5000": (3, "spec.yaml: nodes: found 5000"),
    f"run spec.yaml --set {RING} --runs spec.yaml": (3, "spec.yaml"),
    "runn spec.yaml": (2, "No such command"),
    "show abc": (2, "no run 'abc' in runs/"),
    "show unsealed": (3, "unsealed: SEALED: found 'no such file'; allowed: a sealed run"),
    "show old": (3, "old/SEALED: schema: found 0; allowed: 2; run the spec again"),
    "verify": (2, "RUN..."),
    "verify abc unsealed": (2, "no run 'abc'"),
    "price abc": (2, "--profile"),
    "price abc --profile phone": (2, "no run 'abc'"),
    "price abc --profile fone": (2, "no profile 'fone'"),
    "price abc --profile phone,": (2, "--profile phone,: an empty profile between commas"),
    "price abc --profile phone --samples 0": (2, "--samples"),
    "price abc --profile phone --json --csv a.csv": (2, "give either --json or --csv"),
    "report abc --profile phone": (2, "--out"),
    "profiles show fone": (2, "no profile 'fone'"),
    "profiles check broken.yaml": (3, "broken.yaml: line"),
    "price abc --profile phone*0": (2, "found '0'; allowed: a number of nodes, at least 1"),
    "price abc --profile phone*2+drone": (2, "in a mixed fleet every device says how many nodes are one"),
    "price abc --profile jetson-orin-nano@TURBO": (2, "no power mode 'TURBO': it has 15W, MAXN_SUPER"),
    "validate --file spec.yaml": (3, "spec.yaml: schema"),
    "validate --file none.yaml": (3, "none.yaml: found 'no such file'"),
    "data fetch nonsense": (2, "no data set 'nonsense'"),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    (folder / "spec.yaml").write_text(yaml.safe_dump(SPEC))
    (folder / "broken.yaml").write_text("a: [1,\nb: 2\n")
    (folder / "list.yaml").write_text("- a\n")
    (folder / "unsealed").mkdir()
    (folder / "old").mkdir()
    (folder / "old" / "SEALED").write_text('{"schema": 0}')
    commands = [split(words) for words in MISTAKES]
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL],
        cwd=folder,
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        env={"PATH": "", "HOME": str(folder), "COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stderr
    assert not list(folder.glob("runs/*"))
    return dict(zip(MISTAKES, json.loads(done.stdout), strict=True))


def split(words):
    return [RING if word == "RING" else word for word in words.replace(RING, "RING").split()]


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake(outcomes, words):
    expected_code, sentence = MISTAKES[words]
    code, out, err = outcomes[words]
    assert (code, out) == (expected_code, ""), err
    assert sentence in err
    assert "Traceback" not in err
    if expected_code == 3:
        assert len(err.splitlines()) == 1
        assert err.startswith("costbench: ")
