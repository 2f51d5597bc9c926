"""A URL becomes a local copy: fetched once while it is unchanged, whole or not at all, and never outside its folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.core.remote import failures
from karat.core.remote.paths import local_path
from tests.remote.conftest import Bucket
from tests.remote.servers import Pages


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "PAUSES", (0.01, 0.01, 0.01, 0.01))


# -- S3 ---------------------------------------------------------------------------------------------------------------


def test_a_file_is_copied_into_the_cache_for_its_owner_alone_and_read_only(bucket: Bucket, here: Path) -> None:
    path = local_path(bucket.put("cases/a.yaml", "id: a\n"))
    assert path.read_text() == "id: a\n" and path.name == "a.yaml"
    assert path.is_relative_to(here / ".karat" / "cache" / "remote")
    assert path.stat().st_mode & 0o777 == 0o400
    assert not any(folder.stat().st_mode & 0o077 for folder in (here / ".karat").rglob("*"))


def test_a_path_object_that_has_lost_a_slash_is_the_same_url(bucket: Bucket) -> None:
    url = bucket.put("cases/a.yaml", "id: a\n")
    assert local_path(Path(url)) == local_path(url)


def test_a_folder_keeps_its_layout_and_leaves_out_what_lies_beside_it(bucket: Bucket) -> None:
    for key in ("gold/a.csv", "gold/deep/er/b.csv", "gold/Ünï ço?de#.csv", "gold2/no.csv"):
        bucket.put(key, key)
    bucket.put("gold/empty/", b"")  # how consoles mark a folder
    for url in ("s3://data/gold", "s3://data/gold/"):
        folder = local_path(url)
        found = {file.relative_to(folder).as_posix(): file.read_text() for file in folder.rglob("*") if file.is_file()}
        assert found == {
            key.removeprefix("gold/"): key for key in ("gold/a.csv", "gold/deep/er/b.csv", "gold/Ünï ço?de#.csv")
        }
        assert folder.name == "gold"


def test_what_is_unchanged_is_not_read_again_and_what_changed_is(bucket: Bucket) -> None:
    for name in ("a", "b", "c"):
        bucket.put(f"cases/{name}.yaml", f"id: {name}\n")
    first = local_path("s3://data/cases")
    bucket.proxy.requests.clear()
    assert local_path("s3://data/cases") == first
    assert bucket.gets() == []
    bucket.put("cases/b.yaml", "id: B\n")  # as long as before
    second = local_path("s3://data/cases")
    assert [line.rpartition("/")[2].partition("?")[0] for line in bucket.gets()] == ["b.yaml"]
    assert (second / "b.yaml").read_text() == "id: B\n" and second != first
    assert (first / "b.yaml").read_text() == "id: b\n", "a run that read the old files can still be scored against them"
    bucket.client.delete_object(Bucket="data", Key="cases/c.yaml")
    assert sorted(file.name for file in local_path("s3://data/cases").iterdir()) == ["a.yaml", "b.yaml"]


def test_the_same_contents_are_always_at_the_same_path(bucket: Bucket, here: Path) -> None:
    import shutil

    url = bucket.put("a.yaml", "id: a\n")
    first = local_path(url)
    shutil.rmtree(here / ".karat")
    bucket.put("a.yaml", "id: a\n")  # another date
    assert local_path(url) == first and first.read_text() == "id: a\n"


def test_a_deleted_or_shortened_copy_is_made_anew(bucket: Bucket) -> None:
    for name in ("a", "b"):
        bucket.put(f"cases/{name}.yaml", f"id: {name}\n")
    folder = local_path("s3://data/cases")
    (folder / "a.yaml").unlink()
    again = local_path("s3://data/cases")
    assert again == folder and (again / "a.yaml").read_text() == "id: a\n"


def test_a_file_comes_with_the_files_that_it_names_and_no_others(bucket: Bucket) -> None:
    text = '- {table: tables/a.csv}\n- {"path": "with space.csv"}\n'
    text += "- answer_or_path: result.csv\n- see ../up.csv, /etc/hosts.txt\n"
    bucket.put("set/tasks.yaml", text)
    for key in (
        "set/tables/a.csv",
        "set/with space.csv",
        "set/q1/result.csv",
        "set/q2/result.csv",
        "set/b.csv",
        "up.csv",
    ):
        bucket.put(key, key)
    file = local_path("s3://data/set/tasks.yaml")
    found = sorted(one.relative_to(file.parent).as_posix() for one in file.parent.rglob("*") if one.is_file())
    assert found == ["q1/result.csv", "q2/result.csv", "tables/a.csv", "tasks.yaml", "with space.csv"]
    bucket.put("set/tables/a.csv", "changed")
    assert (local_path("s3://data/set/tasks.yaml").parent / "tables" / "a.csv").read_text() == "changed"


def test_an_empty_file_is_a_file(bucket: Bucket) -> None:
    assert local_path(bucket.put("empty.jsonl", b"")).read_bytes() == b""


@pytest.mark.parametrize("times", [1, 3])
def test_a_connection_that_is_lost_in_the_middle_is_tried_again(bucket: Bucket, times: int) -> None:
    data = os.urandom(300_000)
    url = bucket.put("big.bin", data)
    left = [times]

    def cut(head: bytes) -> bool:
        left[0] -= head.startswith(b"GET") and b"big.bin" in head
        return head.startswith(b"GET") and b"big.bin" in head and left[0] >= 0

    bucket.proxy.cut = cut
    assert local_path(url).read_bytes() == data


def test_an_object_that_changes_between_two_blocks_is_read_from_the_start(bucket: Bucket) -> None:
    old, new = b"a" * 17_000_000, b"b" * 17_000_000
    url = bucket.put("big.bin", old)
    changed: list[bytes] = []

    def change(head: bytes) -> None:
        if head.startswith(b"GET") and b"bytes=0-" not in head and b"big.bin" in head and not changed:
            changed.append(head)
            bucket.put("big.bin", new)

    bucket.proxy.before = change
    data = local_path(url).read_bytes()
    assert changed and data == new


def test_an_object_that_never_stops_changing_is_an_error(bucket: Bucket) -> None:
    url = bucket.put("log.bin", b"0" * 10)
    count = [10]

    def change(head: bytes) -> None:
        if head.startswith(b"GET") and b"log.bin" in head:
            count[0] += 1
            bucket.put("log.bin", b"0" * count[0])

    bucket.proxy.before = change
    with pytest.raises(UserError, match=r"s3://data/log.bin: it changes while it is read"):
        local_path(url)


@pytest.mark.parametrize(
    "key",
    [
        "cases/../../evil",
        "cases//evil",
        "cases/./evil",
        "cases/a\\..\\evil",
        "cases/a\x07b",
        "cases/" + "x" * 300,
    ],
)
def test_names_that_could_leave_the_folder_or_that_no_file_can_have_are_refused(
    bucket: Bucket, here: Path, key: str
) -> None:
    bucket.put("cases/good.yaml", "id: a\n")
    bucket.put(key, "evil")
    with pytest.raises(UserError, match="no file can be named after") as refused:
        local_path("s3://data/cases")
    assert str(refused.value).isprintable() or "\n" in str(refused.value)
    assert "\x07" not in str(refused.value)
    assert not list(here.parent.rglob("*evil*"))


def test_names_that_differ_in_case_only_are_both_there_or_an_error(bucket: Bucket) -> None:
    bucket.put("cases/A.yaml", "upper")
    bucket.put("cases/a.yaml", "lower")
    try:
        folder = local_path("s3://data/cases")
    except UserError as error:  # a file system that does not tell them apart
        assert "upper and lower case" in str(error)
    else:
        assert {file.name: file.read_text() for file in folder.iterdir()} == {"A.yaml": "upper", "a.yaml": "lower"}


def test_an_object_that_is_also_a_folder_is_an_error(bucket: Bucket) -> None:
    bucket.put("cases/a", "file")
    bucket.put("cases/a/b", "in a folder of its name")
    with pytest.raises(UserError, match="need the same file name"):
        local_path("s3://data/cases")


def test_limits_hold_before_anything_is_read(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket.put("cases/a.bin", b"0" * 2_000_000)
    bucket.put("cases/b.bin", b"0" * 2_000_000)
    bucket.proxy.requests.clear()
    for variable, value, said in (
        ("KARAT_MAX_FILE_MB", "1", "larger than 1 MiB"),
        ("KARAT_MAX_REMOTE_MB", "3", "s3://data/cases is larger than 3 MiB"),
        ("KARAT_MAX_REMOTE_FILES", "1", "holds 2 files, more than 1"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(variable, value)
            with pytest.raises(UserError, match=said) as refused:
                local_path("s3://data/cases")
            assert variable in refused.value.hint
    assert bucket.gets() == []


# -- what goes wrong, in words ----------------------------------------------------------------------------------------


def test_a_missing_object_names_the_nearest_one(bucket: Bucket) -> None:
    bucket.put("cases/first.yaml", "id: a\n")
    with pytest.raises(UserError, match="there is nothing there") as missing:
        local_path("s3://data/cases/frist.yaml")
    assert missing.value.hint == 'Did you mean "s3://data/cases/first.yaml"?'


def test_a_missing_bucket_is_named(bucket: Bucket) -> None:
    with pytest.raises(UserError, match='there is no bucket "dtaa"'):
        local_path("s3://dtaa/cases")


def test_denied_access_says_so_without_secrets(web: Pages, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    web.answers = {"/data": 403, "/data/a.yaml": 403}
    monkeypatch.setenv("AWS_ENDPOINT_URL", web.url(""))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-secret-value")
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        with pytest.raises(UserError, match=r"s3://data/a.yaml: access is denied \(403\)") as denied:
            local_path("s3://data/a.yaml")
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
    assert "AWS_ACCESS_KEY_ID" in denied.value.hint and "canary" not in str(denied.value)


def test_missing_credentials_say_what_to_set(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(here / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(here / "none"))
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        with pytest.raises(UserError, match="no valid credentials") as missing:
            local_path("s3://data/a.yaml")
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
    assert "AWS_PROFILE" in missing.value.hint


def test_a_store_that_is_not_there_is_an_error_after_some_tries(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-secret-value")
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        with pytest.raises(UserError, match="connection was lost in each of 5 tries"):
            local_path("s3://data/a.yaml")
    finally:
        s3fs.S3FileSystem.clear_instance_cache()


# -- the web ----------------------------------------------------------------------------------------------------------


def test_a_page_is_fetched_once_while_its_etag_stays(web: Pages) -> None:
    web.files["/cases.yaml"] = b"id: a\n"
    first = local_path(web.url("/cases.yaml"))
    second = local_path(web.url("/cases.yaml"))
    assert first == second and first.read_bytes() == b"id: a\n" and first.name == "cases.yaml"
    assert "If-None-Match" in web.headers[1]
    web.files["/cases.yaml"] = b"id: b\n"
    assert local_path(web.url("/cases.yaml")).read_bytes() == b"id: b\n"


def test_a_page_without_an_etag_is_always_fetched(web: Pages) -> None:
    web.etags = False
    web.files["/a"] = b"1"
    local_path(web.url("/a"))
    web.files["/a"] = b"2"
    assert local_path(web.url("/a")).read_bytes() == b"2"


def test_two_queries_are_two_files(web: Pages) -> None:
    web.files["/a.csv"] = b"x"
    for query in ("id=1", "id=2"):
        assert local_path(web.url(f"/a.csv?{query}")).read_bytes() == b"x"
    assert [path for _, path in web.asked] == ["/a.csv?id=1", "/a.csv?id=2"]


def test_a_page_whose_connection_is_lost_is_fetched_again(web: Pages) -> None:
    web.files["/a.csv"] = os.urandom(200_000)
    web.cut["/a.csv"] = 2
    assert local_path(web.url("/a.csv")).read_bytes() == web.files["/a.csv"]
    web.files["/b.csv"] = b"0" * 1000
    web.cut["/b.csv"] = 100
    with pytest.raises(UserError, match="connection was lost in each of 5 tries"):
        local_path(web.url("/b.csv"))


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "no valid credentials"), (403, "access is denied"), (404, "nothing there"), (418, "answered 418")],
)
def test_an_answer_that_is_no_file_is_an_error_without_the_secrets_of_the_url(
    web: Pages, status: int, said: str
) -> None:
    web.answers["/a.csv"] = status
    url = f"http://me:canary-password@{web.address}/a.csv?X-Amz-Signature=canary-signature"
    with pytest.raises(UserError, match=said) as refused:
        local_path(url)
    assert "canary" not in str(refused.value) and f"•••@{web.address}/a.csv?•••" in str(refused.value)
    assert len(web.asked) == 1


def test_a_busy_server_is_asked_again(web: Pages) -> None:
    web.answers["/a.csv"] = 503
    with pytest.raises(UserError, match="answered 503 in each of 5 tries"):
        local_path(web.url("/a.csv"))
    assert len(web.asked) == 5


def test_a_page_that_is_too_large_is_refused_whatever_its_length_says(
    web: Pages, monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    monkeypatch.setenv("KARAT_MAX_FILE_MB", "1")
    web.files["/a.csv"] = b"0" * 2_000_000
    with pytest.raises(UserError, match="larger than 1 MiB"):
        local_path(web.url("/a.csv"))
    assert not [file for file in (here / ".karat").rglob("*") if file.is_file()]


# -- schemes ----------------------------------------------------------------------------------------------------------


def test_an_unknown_scheme_names_the_nearest(here: Path) -> None:
    with pytest.raises(UserError, match='"s4://"') as unknown:
        local_path("s4://data/cases")
    assert unknown.value.hint == 'Did you mean "s3://"?'
    with pytest.raises(UserError, match="names no bucket"):
        local_path("s3://")
    with pytest.raises(UserError, match="holds credentials") as secret:
        local_path("s3://key:canary@data/cases")
    assert "canary" not in str(secret.value)


def test_a_plain_install_names_the_extra_and_still_reads_the_web(web: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.core.installed import extras

    monkeypatch.setattr(extras, "_installed", lambda module: module not in ("fsspec", "s3fs", "gcsfs", "adlfs"))
    for scheme in ("s3", "gs", "az"):
        with pytest.raises(
            UserError, match=f"{scheme}:// needs packages that are not installed: fsspec, s3fs"
        ) as missing:
            local_path(f"{scheme}://data/cases")
        assert "remote]" in missing.value.hint or "s3fs" in missing.value.hint
    web.files["/a.csv"] = b"x"
    assert local_path(web.url("/a.csv")).read_bytes() == b"x"


def test_paths_of_this_machine_stay_paths(here: Path) -> None:
    for text in ("cases", "./a:b", "C:/cases", "s3:x", "/tmp/a", "odd:/name", ""):
        assert local_path(text) == Path(text)
    (here / "s3:" / "x").mkdir(parents=True)
    assert local_path(Path("s3:/x")) == Path("s3:/x")
