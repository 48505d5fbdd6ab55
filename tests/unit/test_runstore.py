import hashlib
import json
import threading

import pyarrow as pa
import pytest

from costbench.errors import CheckFailed, CostbenchError, InputError, UsageError
from costbench.ledger import SCHEMA_VERSION, SCHEMAS, Ledger
from costbench.runstore import CHECKPOINT, PARTIAL, RECORD, SEAL, TABLES, RunStore, open_run, verify

SPEC = {"name": "made-up", "nodes": 2}
RUN_ID = hashlib.sha256(json.dumps(SPEC, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:12]


def ledger_of(rows=1):
    counts = [
        dict(zip(SCHEMAS["messages"].names, (0, 0, 1, c, 1, 32, 0, 0, 0, 32, True, "dense"), strict=True))
        for c in range(rows)
    ]
    tables = {name: pa.Table.from_pylist([], schema) for name, schema in SCHEMAS.items()}
    return Ledger(**{**tables, "messages": pa.Table.from_pylist(counts, SCHEMAS["messages"])})


def record_of(run_id):
    layout = [{"name": "weight", "shape": [3, 2], "numel": 6}]
    return {"run_id": run_id, "spec": SPEC, "rounds": 1, "parameters": 6, "layout": layout}


def sealed(store, run_id=RUN_ID, ledger=None):
    with store.writing(run_id) as partial:
        return store.seal(partial, record_of(run_id), ledger or ledger_of())


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "runs")


def flip(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 0x01
    path.write_bytes(content)


def test_a_sealed_run_can_be_opened_and_verified(store):
    run = sealed(store)
    assert run == store.find(RUN_ID) == open_run(run.path)
    assert (run.run_id, run.name, run.nodes, run.rounds) == (RUN_ID, "made-up", 2, 1)
    assert run.ledger == ledger_of()
    assert run.record["schema"] == SCHEMA_VERSION
    assert len(run.ledger_sha256) == 64
    assert sorted(path.name for path in run.path.iterdir()) == sorted([RECORD, SEAL, *TABLES])
    assert [path.name for path in store.root.iterdir()] == [RUN_ID]
    assert store.holds(RUN_ID)
    verify(run)


def test_the_hash_of_the_ledger_follows_the_tables_and_not_the_record(store):
    first, same = sealed(store, "a" * 12), sealed(store, "b" * 12)
    other = sealed(store, "c" * 12, ledger_of(rows=2))
    assert first.ledger_sha256 == same.ledger_sha256 != other.ledger_sha256


def test_a_sealed_run_is_never_overwritten(store):
    run = sealed(store)
    before = {path: path.read_bytes() for path in run.path.iterdir()}
    with pytest.raises(CheckFailed, match=f"{RUN_ID} exists: a run is never overwritten"):
        sealed(store, ledger=ledger_of(rows=2))
    assert {path: path.read_bytes() for path in run.path.iterdir()} == before
    assert [path.name for path in store.root.iterdir()] == [RUN_ID]


def test_any_directory_of_that_name_is_left_alone(store):
    (store.root / RUN_ID).mkdir(parents=True)
    with pytest.raises(CheckFailed, match="never overwritten"):
        sealed(store)
    assert list((store.root / RUN_ID).iterdir()) == []


def test_a_second_writer_is_refused_and_the_first_goes_on(store):
    with store.writing(RUN_ID) as partial:
        with (
            pytest.raises(CheckFailed, match="another process is writing this run"),
            store.writing(RUN_ID),
        ):
            pass
        refused = []
        other = threading.Thread(target=lambda: refused.append(_refusal(store)))
        other.start()
        other.join()
        assert "another process" in refused[0]
        store.seal(partial, record_of(RUN_ID), ledger_of())
    verify(store.find(RUN_ID))


def _refusal(store):
    try:
        with store.writing(RUN_ID):
            return "none"
    except CheckFailed as error:
        return str(error)


def test_a_failure_in_the_middle_leaves_no_run_but_its_checkpoint(store):
    with pytest.raises(RuntimeError), store.writing(RUN_ID) as partial:
        (partial / CHECKPOINT).mkdir()
        (partial / CHECKPOINT / "state.pt").write_text("half way")
        raise RuntimeError
    assert not (store.root / RUN_ID).exists()
    assert not store.holds(RUN_ID)
    assert store.sealed() == []
    with store.writing(RUN_ID) as partial:
        assert (partial / CHECKPOINT / "state.pt").read_text() == "half way"
        run = store.seal(partial, record_of(RUN_ID), ledger_of())
    assert not (run.path / CHECKPOINT).exists()


def test_a_ledger_that_breaks_a_law_is_not_sealed(store):
    with pytest.raises(CheckFailed, match="rounds of messages exist"), store.writing(RUN_ID) as partial:
        store.seal(partial, {**record_of(RUN_ID), "rounds": 0}, ledger_of())
    assert not (store.root / RUN_ID).exists()


def test_a_partial_directory_never_looks_like_a_run(store):
    """Not even when the process was killed between SEALED and the renaming."""
    run = sealed(store)
    run.path.rename(store.root / f"{PARTIAL}{RUN_ID}")
    assert store.sealed() == []
    assert not store.holds(RUN_ID)
    with pytest.raises(UsageError, match="no run '0123'"):
        store.find("0123")
    verify(sealed(store))


@pytest.mark.parametrize("name", [RECORD, *TABLES])
@pytest.mark.parametrize("place", [0, 0.5, -1])
def test_one_flipped_bit_is_found_and_its_file_named(store, name, place):
    run = sealed(store)
    path = run.path / name
    flip(path, int(place * path.stat().st_size) if place > 0 else place)
    with pytest.raises(CheckFailed, match=f"{RUN_ID}/{name}: found SHA-256 [0-9a-f]{{12}}..., sealed"):
        verify(run)


@pytest.mark.parametrize("name", TABLES)
def test_a_missing_table_is_named(store, name):
    run = sealed(store)
    (run.path / name).unlink()
    with pytest.raises(InputError, match=f"{name}: found 'no readable file'; allowed: a sealed run has"):
        verify(run)


def test_a_changed_record_is_refused_when_the_run_is_opened(store):
    run = sealed(store)
    record = json.loads((run.path / RECORD).read_text())
    (run.path / RECORD).write_text(json.dumps({**record, "rounds": 2}))
    with pytest.raises(CheckFailed, match=r"run\.json: found SHA-256"):
        store.find(RUN_ID)


def test_every_flipped_bit_of_the_seal_is_found(store):
    run = sealed(store)
    seal = run.path / SEAL
    for position in range(seal.stat().st_size):
        flip(seal, position)
        if not _same_document(seal, position):
            with pytest.raises(CostbenchError):
                verify(store.find(str(run.path)))
        flip(seal, position)
    verify(run)


def _same_document(path, position):
    """Whether the flip at that position only turned one kind of white space into another."""
    changed = path.read_text(encoding="latin-1")
    intact = bytearray(path.read_bytes())
    intact[position] ^= 0x01
    try:
        return json.loads(changed) == json.loads(intact)
    except ValueError:
        return False


def test_a_seal_that_says_the_same_in_other_bytes_is_found(store):
    run = sealed(store)
    seal = run.path / SEAL
    seal.write_text(seal.read_text().replace(" ", "\n", 1))
    with pytest.raises(CheckFailed, match="not in the bytes that were written"):
        verify(run)


def test_a_table_swapped_with_its_hash_is_found(store):
    run = sealed(store)
    other = sealed(store, "c" * 12, ledger_of(rows=2))
    (run.path / "messages.parquet").write_bytes((other.path / "messages.parquet").read_bytes())
    seal, theirs = (json.loads((one.path / SEAL).read_text()) for one in (run, other))
    seal["files"]["messages.parquet"] = theirs["files"]["messages.parquet"]
    (run.path / SEAL).write_text(json.dumps(seal))
    with pytest.raises(CheckFailed, match="the ledger's hash does not follow"):
        verify(run)


def test_the_laws_are_checked_again(store, monkeypatch):
    monkeypatch.setattr("costbench.runstore.check_conservation", lambda *_: None)
    broken = pa.Table.from_pylist(
        [{**ledger_of().messages.to_pylist()[0], "value_bits": 31}], SCHEMAS["messages"]
    )
    tables = {name: pa.Table.from_pylist([], schema) for name, schema in SCHEMAS.items()}
    run = sealed(store, ledger=Ledger(**{**tables, "messages": broken}))
    monkeypatch.undo()
    with pytest.raises(CheckFailed, match=f"{RUN_ID}: the ledger breaks a conservation law: every message"):
        verify(run)


@pytest.mark.parametrize("missing", [SEAL, RECORD])
def test_an_unsealed_or_incomplete_directory_is_refused(store, missing):
    run = sealed(store)
    (run.path / missing).unlink()
    with pytest.raises(InputError, match="sealed run"):
        store.find(str(run.path))


@pytest.mark.parametrize("version", [0, 1, None, "2"])
def test_another_schema_version_is_refused_with_what_to_do(store, version):
    run = sealed(store)
    seal = json.loads((run.path / SEAL).read_text())
    (run.path / SEAL).write_text(json.dumps({**seal, "schema": version}))
    with pytest.raises(InputError) as error:
        store.find(RUN_ID)
    assert str(error.value).endswith(
        f"SEALED: schema: found {version!r}; allowed: 2; run the spec again with this version of costbench"
    )


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": 1}', '{"schema": 1, "files": {}}', "\xff"])
def test_a_damaged_seal_is_refused(store, content):
    run = sealed(store)
    (run.path / SEAL).write_text(content, encoding="latin-1")
    with pytest.raises(CostbenchError, match=SEAL):
        store.find(RUN_ID)


def test_a_run_is_found_by_path_or_unique_prefix(store):
    sealed(store, "abc000000000")
    sealed(store, "abd000000000")
    (store.root / "abc.yaml").write_text("not a run")
    assert store.find("abc").run_id == "abc000000000"
    assert store.find("abd000000000").run_id == "abd000000000"
    assert store.find(str(store.root / "abc000000000")).run_id == "abc000000000"
    with pytest.raises(UsageError, match="run 'ab' is ambiguous: abc000000000, abd000000000"):
        store.find("ab")


@pytest.mark.parametrize("reference", ["ff", "*", "../runs/abc000000000x", "ABC", "abc0000000000"])
def test_an_unknown_run_lists_the_known_ones(store, reference):
    with pytest.raises(UsageError, match="no run"):
        RunStore(store.root / "empty").find(reference)
    sealed(store, "abc000000000")
    with pytest.raises(UsageError, match="give a path or the prefix of one of: abc000000000"):
        store.find(reference)
